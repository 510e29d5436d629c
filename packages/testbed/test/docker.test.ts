import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { availability, startBroker } from "@lab/testbed";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { findCommand } from "../src/command.ts";
import { composeFile } from "../src/docker.ts";
import { kinds } from "../src/kinds/index.ts";
import { tuning } from "../src/kinds/mqtt/mosquitto.ts";
import { script } from "./command-line.ts";
import { client, eventually, privateFolder, withMosquitto } from "./support.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const mosquitto = findCommand("mosquitto") ?? "";

function composeWorks(): boolean {
  try {
    execFileSync("docker", ["compose", "version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
const withCompose = composeWorks();
if (!withCompose) console.warn("Skipped: what docker compose says of compose.yaml. There is none.");

test("mosquitto is configured in docker as it is natively", () => {
  const conf = readFileSync(here("../../../docker/mosquitto/mosquitto.conf"), "utf8").split("\n");
  for (const line of [...tuning, "allow_anonymous true"]) expect(conf).toContain(line);
});

test.runIf(withCompose)("docker compose accepts the file, with a profile for each broker", () => {
  for (const { docker } of Object.values(kinds)) {
    const args = ["compose", "-f", composeFile, "--profile", docker.profile, "config"];
    const env = { ...process.env, [docker.portVariable]: "12345" };
    const config = JSON.parse(
      execFileSync("docker", [...args, "--format", "json"], { encoding: "utf8", env }),
    );
    expect(Object.keys(config.services)).toEqual([docker.service]);
    const service = config.services[docker.service];
    expect(service.image).toMatch(/:\d+\.\d+\.\d+/);
    expect(service.healthcheck.test[0]).toMatch(/^CMD(-SHELL)?$/);
    for (const { host_ip } of service.ports) expect(host_ip).toBe("127.0.0.1");
    expect(service.ports[0].published).toBe("12345");
  }
});

// No docker runs here: the command is a stand-in that starts native servers. See `docker-stand-in.mjs`.
describe.runIf(withMosquitto)("with a stand-in for the docker command", () => {
  let folder: string;
  const calls = () => readFileSync(join(folder, "calls"), "utf8").trim().split("\n");
  const containers = () => readdirSync(folder).filter((name) => name.startsWith("messaging-lab-"));

  beforeEach(() => {
    folder = privateFolder();
    const bin = privateFolder();
    const standIn = `"${process.execPath}" "${here("./docker-stand-in.mjs")}" "$@"`;
    script(bin, "docker", `STAND_IN="${folder}" MOSQUITTO="${mosquitto}" exec ${standIn}`);
    vi.stubEnv("PATH", `${bin}:${process.env.PATH}`);
    vi.stubEnv("MQTT_URL", "");
  });
  afterEach(() => void vi.unstubAllEnvs());

  test("docker comes before a native server", async () => {
    expect((await availability("mqtt")).use).toEqual({
      how: "docker",
      product: "mosquitto",
      version: "0.0.0-stand-in",
      real: true,
      where: "eclipse-mosquitto:0.0.0-stand-in",
    });
    const { use, passedOver } = await availability("mqtt", { tls: true });
    expect(use?.how).toBe("native");
    expect(passedOver).toContainEqual({
      how: "docker",
      why: "the compose file does not do `tls`",
    });
  });

  test("a container of its own project is started, killed with its state saved, and removed", async () => {
    const persistent = { clientId: "persistent", clean: false };
    const broker = await startBroker("mqtt", { how: "docker" });
    const before = await client(broker.url, persistent);
    await before.subscribeAsync("queue/a", { qos: 1 });
    await before.endAsync();
    const publisher = await client(broker.url);
    for (const payload of ["1", "2", "3"]) {
      await publisher.publishAsync("queue/a", payload, { qos: 1 });
    }
    await broker.kill?.();
    await broker.kill?.();
    await expect(client(broker.url)).rejects.toThrow();
    await broker.start?.();
    const arrived: string[] = [];
    await client(broker.url, persistent, (_topic, payload) => void arrived.push(`${payload}`));
    await eventually("queued messages arrive", () => arrived.length === 3);
    expect(arrived).toEqual(["1", "2", "3"]);

    expect(containers()).toHaveLength(1);
    await broker.stop();
    expect(containers()).toEqual([]);
    const [project] = /-p (\S+)/.exec(calls().at(-1) ?? "")?.slice(1) ?? [];
    expect(calls().at(-1)).toBe(
      `compose -p ${project} -f ${composeFile} --profile mqtt down --volumes --timeout 0`,
    );
    for (const call of calls().slice(2)) expect(call).toContain(`-p ${project} `);
  });

  test("when the process dies its container is removed", async () => {
    const program = `
      const { startBroker } = await import(process.argv[1]);
      await startBroker("mqtt", { how: "docker" });
      console.log("ready");
    `;
    const child = spawn(
      process.execPath,
      ["--input-type=module", "-e", program, here("../dist/index.js")],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child.stdout, "data");
    expect(containers()).toHaveLength(1);
    child.kill("SIGKILL");
    await eventually("the container is removed", () => containers().length === 0);
  });

  test("what does not come up is an error with what docker says and the container's log", async () => {
    vi.stubEnv("STAND_IN_FAILS", "1");
    const start = startBroker("mqtt", { how: "docker" });
    await expect(start).rejects.toMatchObject({ code: "BROKER_START_FAILED" });
    await expect(start).rejects.toThrow(/manifest unknown.*the container's log/s);
    expect(calls().at(-1)).toContain(" down ");
    expect(containers()).toEqual([]);
  });
});
