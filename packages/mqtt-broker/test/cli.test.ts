import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import mqtt from "mqtt";
import { describe, expect, onTestFinished, test } from "vitest";
import { start, until } from "./support/broker.ts";

const cli = fileURLToPath(new URL("../dist/cli.js", import.meta.url));

function run(...args: string[]) {
  const child: ChildProcess = spawn(process.execPath, [cli, ...args]);
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const result = { child, output: "", errors: "", ended: once(child, "close") };
  child.stdout?.on("data", (chunk) => {
    result.output += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    result.errors += chunk;
  });
  return result;
}

describe("lab-mqtt-broker", () => {
  test.each(["SIGINT", "SIGTERM"] as const)("serves TCP and WebSocket until %s", async (signal) => {
    const broker = run("--port", "0", "--ws-port", "0", "--verbose");
    await until(() => broker.output.split("\n").length === 3, "both addresses");
    const urls = [...broker.output.matchAll(/^Listening on (\S+)$/gm)].map(
      (match) => match[1] as string,
    );
    expect(urls.map((url) => url.replace(/\d+$/, ""))).toEqual([
      "mqtt://127.0.0.1:",
      "ws://127.0.0.1:",
    ]);
    for (const url of urls) {
      const client = await mqtt.connectAsync(url, { clientId: "me", reconnectPeriod: 0 });
      await client.subscribeAsync("a/#", { qos: 1 });
      await client.endAsync();
    }
    await until(() => broker.output.split("disconnected").length === 3, "what was told");
    expect(broker.output).toContain(
      "me connected from 127.0.0.1, MQTT 3.1.1\nme subscribed to a/#, QoS 1\n",
    );
    broker.child.kill(signal);
    expect((await broker.ended)[0]).toBe(0);
    expect(broker.errors).toBe("");
  });

  test("says what it can do", async () => {
    const help = run("--help");
    expect((await help.ended)[0]).toBe(0);
    for (const option of ["--port", "--ws-port", "--host", "--cert", "--key", "--verbose"]) {
      expect(help.output).toContain(option);
    }
  });

  test.each([
    [["--port", "x"], /`--port`.*"x"/],
    [["--port", "70000"], /65535/],
    [["--ws-port", "-1"], /ws-port/],
    [["--cert", "a.pem"], /go together/],
    [["--cert", "/none", "--key", "/none"], /Cannot read/],
    [["--prot", "1"], /prot/],
    [["1883"], /1883/],
  ])("%j is a usage error", async (args, message) => {
    const wrong = run(...args);
    expect((await wrong.ended)[0]).toBe(2);
    expect(wrong.errors).toMatch(message);
    expect(wrong.errors).toMatch(/^INVALID_OPTION: /);
    expect(wrong.output).toBe("");
  });

  test("a port that is taken", async () => {
    const { port } = await start();
    const wrong = run("--port", `${port}`);
    expect((await wrong.ended)[0]).toBe(1);
    expect(wrong.errors).toMatch(/^BROKER_START_FAILED: .*127\.0\.0\.1/);
  });
});
