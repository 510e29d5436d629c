import { execFile, execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createMqttBroker } from "@lab/mqtt-broker";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { certificate } from "../support/certificate.ts";

const script = fileURLToPath(new URL("paho_scenarios.py", import.meta.url));
const scenarios = [
  ...readFileSync(script, "utf8").matchAll(/^@scenario\n(?:@versions\n)?def (\w+)/gm),
].map((match) => match[1] as string);

/** A Python that has Paho: `PAHO_PYTHON`, the one on PATH, or the system's. */
const python = [process.env.PAHO_PYTHON, "python3", "/usr/bin/python3"].find((command) => {
  if (command === undefined) return false;
  try {
    execFileSync(command, ["-c", "import paho.mqtt.client"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
});

const required = process.env.LAB_REQUIRE_BROKERS === "1";
if (python === undefined && !required) {
  console.warn(
    "Skipped: tests with Paho for Python, which is missing: npm run brokers -- install mqtt",
  );
}

describe.skipIf(python === undefined && !required)("Paho for Python", () => {
  const { cert, key, certFile } = certificate();
  const results = new Map<string, { ok: boolean; why?: string }>();
  const broker = createMqttBroker({
    authenticate: ({ username, password }) =>
      username === undefined || password?.toString() === "right",
    authorizeSubscribe: (_client, { filter }) => !filter.startsWith("secret/"),
    onMessages: (messages) => {
      for (const { topic, payload } of messages) {
        if (topic === "control/disconnect") broker.disconnect(payload.toString());
      }
    },
  });
  let output = "";

  beforeAll(async () => {
    if (python === undefined)
      throw new Error("Required, but no Python has paho-mqtt: set PAHO_PYTHON.");
    const tcp = await broker.listen({ port: 0 });
    const tls = await broker.listen({ port: 0, tls: { cert, key } });
    const ws = await broker.listen({ port: 0, webSocket: true });
    const ports = [tcp, tls, ws].map(({ port }) => `${port}`);
    const run = promisify(execFile)(python, [script, "127.0.0.1", ...ports, certFile], {
      timeout: 55_000,
    });
    const { stdout, stderr } = await run;
    output = stderr;
    for (const line of stdout.trim().split("\n")) {
      const { scenario, ...result } = JSON.parse(line);
      results.set(scenario, result);
    }
  });
  afterAll(() => broker.close());

  test.each(scenarios)("%s", (scenario) => {
    expect(results.get(scenario) ?? { ok: false, why: `no result. ${output}` }).toEqual({
      ok: true,
    });
  });
});
