import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brokerNames, startBroker } from "@lab/testbed";
import { describe, expect, test } from "vitest";
import { kinds } from "../src/kinds/index.ts";
import { commandLine, script } from "./command-line.ts";
import { client, eventually, privateFolder, processesWith, withMosquitto } from "./support.ts";

const exported = (stdout: string): string =>
  /^export MQTT_URL=(mqtt:\/\/127\.0\.0\.1:\d+)\n$/.exec(stdout)?.[1] ?? "";

/** Number of the process that a line of `ps` is about. */
const pidOf = (line: string | undefined): number => Number.parseInt(line ?? "", 10);

describe.runIf(withMosquitto)("start, status and stop", () => {
  test("start prints a line for the shell, is idempotent, and stop leaves nothing behind", async () => {
    const { run, brokers, temporary } = commandLine();
    expect((await run(["status", "mqtt"])).stdout).toMatch(/started: +nothing/);

    const started = await run(["start", "mqtt"]);
    expect(started).toMatchObject({ code: 0 });
    expect(started.stderr).toMatch(/^mqtt: started: mosquitto \S+ \(native\) at mqtt:/);
    const url = exported(started.stdout);
    expect((await client(url)).connected).toBe(true);

    const again = await run(["start", "mqtt", "mqtt"]);
    expect(again).toMatchObject({ code: 0, stdout: started.stdout });
    expect(again.stderr).toMatch(/^mqtt: already running/);

    const { stdout } = await run(["status", "mqtt"], { MQTT_URL: url });
    expect(stdout).toContain(`started:   mosquitto`);
    expect(stdout).toMatch(new RegExp(`tests use: mosquitto \\S+ \\(running\\) from ${url}`));

    const stopped = await run(["stop", "mqtt"]);
    expect(stopped).toMatchObject({ code: 0, stderr: "" });
    expect(stopped.stdout).toMatch(/^mqtt: stopped/);
    await expect(client(url)).rejects.toThrow("ECONNREFUSED");
    expect(readdirSync(brokers)).toEqual([]);
    expect(readdirSync(temporary)).toEqual([]);
    await eventually("its processes end", () => processesWith(temporary).length === 0);
    expect(await run(["stop", "mqtt"])).toMatchObject({
      code: 0,
      stdout: "mqtt: nothing was started\n",
    });
  });

  test("several at the same time start one broker", async () => {
    const { run, brokers, temporary } = commandLine();
    const outcomes = await Promise.all([
      run(["start", "mqtt"]),
      run(["start", "mqtt"]),
      run(["start", "mqtt"]),
    ]);
    expect(new Set(outcomes.map(({ stdout }) => exported(stdout))).size).toBe(1);
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0]);
    const daemons = () => processesWith(brokers).filter((line) => line.includes("daemon.js"));
    await eventually("the others are gone", () => daemons().length === 1);
    expect(readdirSync(temporary)).toHaveLength(1);
  });

  test("what a dead process has left behind is cleaned up", async () => {
    const { run, brokers, temporary } = commandLine();
    const { stdout } = await run(["start", "mqtt"]);
    const { pid } = JSON.parse(readFileSync(join(brokers, "mqtt.json"), "utf8"));
    process.kill(pid, "SIGKILL");
    await eventually("the broker ends with it", () => readdirSync(temporary).length === 0);
    expect((await run(["status", "mqtt"])).stdout).toMatch(/started: +nothing/);
    expect(readdirSync(brokers)).not.toContain("mqtt.json");

    writeFileSync(join(brokers, "mqtt.json"), "{ half a file");
    const again = await run(["start", "mqtt"]);
    expect(again.code).toBe(0);
    expect(exported(again.stdout)).not.toBe(exported(stdout));
  });

  test("a broker that died by itself is noticed, and replaced", async () => {
    const { run, temporary } = commandLine();
    const first = await run(["start", "mqtt"]);
    const mosquitto = processesWith(temporary).find((line) => line.includes("mosquitto -c"));
    process.kill(pidOf(mosquitto), "SIGKILL");
    await eventually("it is noticed", async () =>
      (await run(["status", "mqtt"])).stdout.includes("but it does not answer"),
    );
    const second = await run(["start", "mqtt"]);
    expect(second.stderr).toContain("it is replaced");
    expect(exported(second.stdout)).not.toBe(exported(first.stdout));
    expect((await client(exported(second.stdout))).connected).toBe(true);
    expect(readdirSync(temporary)).toHaveLength(1);
  });

  test("SIGTERM to the process in the background is a stop", async () => {
    const { run, brokers, temporary } = commandLine();
    await run(["start", "mqtt"]);
    const { pid } = JSON.parse(readFileSync(join(brokers, "mqtt.json"), "utf8"));
    process.kill(pid, "SIGTERM");
    await eventually("everything is removed", () =>
      [brokers, temporary].every((folder) => readdirSync(folder).length === 0),
    );
  });
});

test("a broker that does not come up is an error with its log", async () => {
  const bin = privateFolder();
  script(bin, "mosquitto", "echo 'Error: no good today' >&2; exit 7");
  const { run, brokers, temporary } = commandLine({ PATH: bin });
  const { code, stdout, stderr } = await run(["start", "mqtt"]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(
    /^mqtt: BROKER_START_FAILED: mosquitto ended .*exit code 7.*no good today/s,
  );
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(readdirSync(brokers)).not.toContain("mqtt.json");
  expect(readdirSync(temporary)).toEqual([]);
});

test("where only the embedded broker is there, it says so", async () => {
  const { run } = commandLine({ PATH: "/nowhere" });
  const { stdout } = await run(["status", "mqtt"]);
  expect(stdout).toMatch(/tests use: lab-mqtt-broker \S+ \(embedded, not a real broker\)/);
  expect(stdout).toContain("npm run brokers -- install mqtt");
  const started = await run(["start", "mqtt"]);
  expect(started.stderr).toContain("(embedded, not a real broker)");
  const url = exported(started.stdout);
  expect((await client(url)).connected).toBe(true);
  const used = await run(["status", "mqtt"], { MQTT_URL: url });
  expect(used.stdout).toMatch(/tests use: lab-mqtt-broker \S+ \(running, not a real broker\)/);
});

test("start leaves a broker alone that the environment names; status tells when it does not answer", async () => {
  await using there = await startBroker("mqtt", { how: "embedded" });
  const { run, brokers } = commandLine({ MQTT_URL: there.directUrl });
  const { code, stdout, stderr } = await run(["start", "mqtt"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  expect(stderr).toContain(`MQTT_URL names ${there.directUrl}: nothing to start`);
  expect(readdirSync(brokers)).toEqual([]);
  await there.stop();
  expect((await run(["status", "mqtt"])).stdout).toMatch(
    /tests use: nothing: MQTT_URL names .*unset/,
  );
});

describe("bad input ends with exit code 2 and a message without a stack", () => {
  test.each([
    [["launch"], 'Expected a command, one of install, start, status, stop, got "launch"'],
    [["toString"], 'got "toString"'],
    [[], "got none"],
    [
      ["start", "zeromq"],
      `Expected \`broker\` to be one of ${brokerNames.join(", ")}, got "zeromq"`,
    ],
    [["install", "mqtt", "zeromq"], 'got "zeromq"'],
    [["start", "--dry-run"], "`--dry-run` belongs to install"],
    [["start", "--fast"], "Unknown option '--fast'"],
  ])("%j", async (args, message) => {
    const { code, stdout, stderr } = await commandLine().run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^INVALID_OPTION: /);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

test("without names, every broker is meant, and one that cannot be started does not keep the others from it", async () => {
  const { run } = commandLine({ PATH: "/nowhere" });
  const { code, stdout, stderr } = await run(["start"]);
  const failed = brokerNames.filter((name) => stderr.includes(`${name}: BROKER_START_FAILED: `));
  expect(failed).toEqual(brokerNames.filter((name) => kinds[name].embedded === undefined));
  expect(code).toBe(failed.length === 0 ? 0 : 1);
  expect(stdout).toMatch(/^export MQTT_URL=/);
  const status = (await run(["status"])).stdout;
  for (const name of brokerNames) expect(status).toContain(`${name}\n`);
});

test("--help tells the commands and how brokers are found", async () => {
  const { code, stdout } = await commandLine().run(["--help"]);
  expect(code).toBe(0);
  const parts = ["install", "start", "status", "stop", "--dry-run", "MQTT_URL", ...brokerNames];
  for (const part of parts) expect(stdout).toContain(part);
});
