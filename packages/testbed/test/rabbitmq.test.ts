import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { availability, type RunningBroker, startBroker } from "@lab/testbed";
import { type ChannelModel, type ConfirmChannel, connect } from "amqplib";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { eventually, privateFolder } from "./support.ts";

const { use } = await availability("amqp", { how: "native" });
const withRabbitMq = use !== undefined || process.env.LAB_REQUIRE_BROKERS === "1";

if (!withRabbitMq) {
  console.warn("Skipped: tests of a native RabbitMQ: npm run brokers -- install amqp");
}

async function open(
  url: string,
  options: object = {},
): Promise<{ connection: ChannelModel; channel: ConfirmChannel }> {
  const connection = await connect(url, options);
  connection.on("error", () => undefined); // One that nobody listens to ends the process.
  onTestFinished(() => connection.close().catch(() => undefined));
  return { connection, channel: await connection.createConfirmChannel() };
}

/** Processes of a broker whose data are in this folder: their environment tells. */
function processesOf(folder: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, "latin1").includes(folder);
    } catch {
      return false; // It has just ended.
    }
  });
}

describe.runIf(withRabbitMq)("RabbitMQ", () => {
  let broker: RunningBroker;
  beforeAll(async () => {
    broker = await startBroker("amqp", { how: "native", real: true });
  });
  afterAll(() => broker.stop());

  const addVhost = async (name: string): Promise<void> => {
    await broker.admin?.("add_vhost", name);
    await broker.admin?.("set_permissions", "-p", name, "guest", ".*", ".*", ".*");
  };

  test("says who it is", () => {
    expect(broker).toMatchObject({ name: "amqp", product: "RabbitMQ", how: "native", real: true });
    expect(broker.version).toBe(use?.version);
  });

  test("keeps durable queues and confirmed messages through kill -9, new quorum queues too", async () => {
    const { channel } = await open(broker.url);
    const types = ["classic", "quorum"];
    for (const type of types) {
      await channel.assertQueue(`kept-${type}`, { arguments: { "x-queue-type": type } });
      channel.sendToQueue(`kept-${type}`, Buffer.from("x"), { persistent: true });
    }
    await channel.waitForConfirms();
    await broker.restart?.();
    const after = await open(broker.url);
    for (const type of types) {
      const got = await after.channel.get(`kept-${type}`);
      expect(got && `${got.content}`, type).toBe("x");
    }
  });

  test("has the consistent-hash exchange and the management plugin", async () => {
    const { channel } = await open(broker.url);
    await channel.assertExchange("hash", "x-consistent-hash");
    expect(await broker.admin?.("eval", "rabbit_plugins:active().")).toContain(
      "rabbitmq_management",
    );
  });

  test("runs its administrators' command, and tells what it says when that fails", async () => {
    await addVhost("another");
    const { connection } = await open(`${broker.url}/another`);
    expect(connection).toBeDefined();
    await expect(broker.admin?.("delete_vhost", "missing")).rejects.toThrow(/missing/);
  });

  test("can be one that runs already, with a virtual host of its own", async () => {
    await addVhost("own/vhost");
    vi.stubEnv("AMQP_URL", `${broker.url}/own%2Fvhost?heartbeat=7`);
    onTestFinished(() => void vi.unstubAllEnvs());
    const same = await startBroker("amqp");
    onTestFinished(() => same.stop());
    expect(same).toMatchObject({ product: "RabbitMQ", how: "running" });
    const { channel } = await open(same.url);
    await channel.assertQueue("in-own-vhost");
    expect(await broker.admin?.("list_queues", "-q", "-p", "own/vhost")).toContain("in-own-vhost");
    vi.stubEnv("AMQP_URL", `${broker.url}/no-such-vhost`);
    await expect(startBroker("amqp")).rejects.toMatchObject({ code: "BROKER_UNREACHABLE" });
  });

  test("leaves nothing behind: neither the server, nor Erlang's port mapper, nor data", async () => {
    const folder = privateFolder();
    vi.stubEnv("TMPDIR", folder);
    const own = await startBroker("amqp", { how: "native" }).finally(() => vi.unstubAllEnvs());
    await own.restart?.();
    await own.admin?.("list_queues");
    expect(processesOf(folder).length).toBeGreaterThanOrEqual(2);
    await own.stop();
    await eventually("every process to end", () => processesOf(folder).length === 0);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("leaves nothing behind when the process that started it is killed", async () => {
    const folder = privateFolder();
    const program = `
      const { startBroker } = await import(process.argv[1]);
      await startBroker("amqp", { how: "native" });
      console.log("ready");
    `;
    const built = fileURLToPath(new URL("../dist/index.js", import.meta.url));
    const child = spawn(process.execPath, ["--input-type=module", "-e", program, built], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, TMPDIR: folder },
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child.stdout, "data");
    expect(readdirSync(folder)).toHaveLength(1);
    child.kill("SIGKILL");
    await eventually("every process to end", () => processesOf(folder).length === 0);
    await eventually("its data to be removed", () => readdirSync(folder).length === 0);
  });

  test("another one, with credentials and TLS: shares nothing, and lets in only those who have them", async () => {
    const credentials = { username: "lab user", password: "p@ss/word#1 %\"'" };
    await using other = await startBroker("amqp", { how: "native", credentials, tls: true });
    expect(other.url).toMatch(/^amqps:/);
    const trust = { ca: [other.ca ?? ""] };
    await expect(open(other.url)).rejects.toThrow("self-signed");
    await expect(open(other.url.replace(/\/\/.*@/, "//"), trust)).rejects.toThrow("ACCESS_REFUSED");
    const first = await open(broker.url);
    await first.channel.assertQueue("of-the-first");
    const { channel } = await open(other.url, trust); // The credentials are part of the URL.
    channel.on("error", () => undefined);
    await expect(channel.checkQueue("of-the-first")).rejects.toThrow("NOT_FOUND");
  });

  test("shows its log when it does not come up, and leaves nothing behind", async () => {
    const folder = privateFolder();
    vi.stubEnv("TMPDIR", folder);
    const starting = startBroker("amqp", { how: "native", config: ["no_such_setting = 1"] });
    await expect(starting.finally(() => vi.unstubAllEnvs())).rejects.toThrow(/no_such_setting/);
    await eventually("every process to end", () => processesOf(folder).length === 0);
    expect(readdirSync(folder)).toEqual([]);
  });
});
