import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { mqttPublisher } from "@lab/mqtt";
import { availability, startBroker } from "@lab/testbed";
import mqtt from "mqtt";
import { expect, test } from "vitest";
import { root } from "./sources.ts";

const run = promisify(execFile);
const expected = readdirSync(join(root, "examples/expected")).map((file) =>
  file.replace(/\.txt$/, ""),
);

test.each(expected)("examples/%s prints what it should", async (name) => {
  const { stdout } = await run(process.execPath, [join(root, `examples/dist/${name}.js`)], {
    timeout: 20_000,
  });
  expect(stdout).toBe(readFileSync(join(root, `examples/expected/${name}.txt`), "utf8"));
});

const { use } = await availability("mqtt", { how: "native" });
const withMosquitto = use !== undefined || process.env.LAB_REQUIRE_BROKERS === "1";
if (!withMosquitto)
  console.warn(
    "Skipped: examples on mosquitto, which is not installed: npm run brokers -- install",
  );

test.skipIf(!withMosquitto)(
  "examples/mqtt-orders keeps each order in order and ends, drained, on SIGINT",
  async () => {
    await using broker = await startBroker("mqtt", { how: "native" });
    const child = spawn(process.execPath, [join(root, "examples/dist/mqtt-orders.js")], {
      env: { ...process.env, MQTT_URL: broker.url },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exited = once(child, "exit");
    const lines: string[] = [];
    const arrived = async (count: number): Promise<void> => {
      while (lines.length < count)
        await once(reader, "line", { signal: AbortSignal.timeout(10_000) });
    };
    const reader = createInterface(child.stdout);
    reader.on("line", (line) => lines.push(line));
    await arrived(1);
    expect(lines).toEqual(["ready"]);

    const publisher = mqttPublisher({ connect: (defaults) => mqtt.connect(broker.url, defaults) });
    const steps = ["paid", "packed", "shipped"];
    for (const order of ["1", "2"]) {
      await publisher.publish(
        `orders/${order}`,
        steps.map((step, i) => ({ body: Buffer.from(JSON.stringify({ step, ms: 30 - 10 * i })) })),
      );
    }
    await publisher.close();
    await arrived(7);
    for (const order of ["1", "2"]) {
      expect(lines.filter((line) => line.startsWith(`orders/${order}:`))).toEqual(
        steps.map((step) => `orders/${order}: ${step}`),
      );
    }
    child.kill("SIGINT");
    expect(await exited).toEqual([0, null]);
  },
);
