import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { clients } from "../src/kinds/mqtt/clients.ts";
import { commandLine, script } from "./command-line.ts";
import { privateFolder, withMosquitto } from "./support.ts";

/** A machine without brokers, with an `apt-get` that writes down what it is asked for, and "installs" mosquitto. */
function machine({ works = true, sudo = false } = {}) {
  const bin = privateFolder();
  const log = join(bin, "log");
  const mosquitto = join(bin, "mosquitto");
  script(bin, "stand-in", "echo 'mosquitto version 9.9.9'");
  script(
    bin,
    "apt-get",
    works
      ? `echo "apt-get $*" >> ${log}; [ "$1" = update ] || for name in mosquitto mosquitto_sub python3; do /bin/cp ${bin}/stand-in ${bin}/$name; done`
      : "echo 'E: Unable to locate package' >&2; exit 100",
  );
  if (sudo) script(bin, "sudo", `echo "sudo $*" >> ${log}; "$@"`);
  const commands = () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []);
  return { commands, mosquitto, run: commandLine({ PATH: bin }).run };
}

test.runIf(process.getuid?.() === 0)("install says what it does, and does it", async () => {
  const { run, commands } = machine();
  const { code, stdout } = await run(["install", "mqtt"]);
  expect(code).toBe(0);
  expect(commands()).toEqual([
    "apt-get update",
    "apt-get install --yes --no-install-recommends mosquitto openssl mosquitto-clients python3-paho-mqtt",
  ]);
  for (const command of commands()) expect(stdout).toContain(`  ${command}\n`);
  expect(stdout).toContain("may also start a system-wide mosquitto on port 1883");
  expect(stdout).toMatch(/^mqtt: mosquitto 9\.9\.9 is installed: .*mosquitto$/m);
  expect(stdout).toMatch(/^Paho for Python: installed$/m);

  const again = await run(["install", "mqtt"]);
  expect(again.stdout).toMatch(/^mqtt: mosquitto 9\.9\.9 is installed: \S+\n$/);
  expect(commands()).toHaveLength(2);
});

test("--dry-run says the same and changes nothing", async () => {
  const { run, commands, mosquitto } = machine({ sudo: true });
  const { code, stdout } = await run(["install", "--dry-run", "mqtt"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Would run:\n.*apt-get update\n.*apt-get install .*mosquitto/);
  expect(stdout).toContain("port 1883");
  expect(commands()).toEqual([]);
  expect(existsSync(mosquitto)).toBe(false);
});

test("an installation that fails is an error", async () => {
  const { run } = machine({ works: false, sudo: true });
  const { code, stderr } = await run(["install", "mqtt"]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/E: Unable to locate package\n/);
  expect(stderr).toMatch(/BROKER_START_FAILED: `.*apt-get update` failed with exit code 100/);
});

test("where there is no apt-get, the docker command is printed", async () => {
  const { code, stdout } = await commandLine({ PATH: "/nowhere" }).run(["install", "mqtt"]);
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /docker compose -f \S*docker\/compose\.yaml --profile mqtt up --detach --wait\n/,
  );
  expect(stdout).toContain("export MQTT_URL=mqtt://127.0.0.1:1883");
  expect(stdout).toMatch(/Paho for Python: install it yourself.* python3-paho-mqtt$/m);
});

const withTools = withMosquitto && clients.every((tool) => tool.isThere());

test.runIf(withTools)("what is installed is left as it is", async () => {
  const { code, stdout } = await commandLine().run(["install", "mqtt"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^mqtt: mosquitto \d\S+ is installed: \/\S+\n$/);
});
