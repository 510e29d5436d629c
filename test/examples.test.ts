import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import type { OutgoingMessage } from "@lab/core";
import { mqttPublisher } from "@lab/mqtt";
import { solacePublisher } from "@lab/solace";
import { SolaceTestBroker } from "@lab/solace-testbroker";
import { availability, startBroker } from "@lab/testbed";
import { solace } from "@lab/testbed/rigs";
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
    const publisher = mqttPublisher({ connect: (defaults) => mqtt.connect(broker.url, defaults) });
    await keepsOrder("mqtt-orders", { MQTT_URL: broker.url }, async (order, messages) =>
      publisher.publish(order, messages),
    );
    await publisher.close();
  },
);

test("examples/solace-orders does so on solace-testbroker, a test double", async () => {
  await using broker = new SolaceTestBroker();
  await broker.start();
  broker.createQueue("orders");
  const publisher = solacePublisher({
    solace,
    destination: "queue",
    connect: (defaults) =>
      solace.SolclientFactory.createSession({
        ...defaults,
        url: broker.url,
        vpnName: "default",
        userName: "shop",
      }),
  });
  await keepsOrder("solace-orders", { SOLACE_URL: broker.url }, async (order, messages) =>
    publisher.publish(
      "orders",
      messages.map((message) => ({ ...message, key: order })),
    ),
  );
  await publisher.close();
});

async function keepsOrder(
  example: string,
  environment: Record<string, string>,
  publish: (order: string, messages: readonly OutgoingMessage[]) => Promise<void>,
): Promise<void> {
  const child = spawn(process.execPath, [join(root, `examples/dist/${example}.js`)], {
    env: { ...process.env, ...environment },
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

  const steps = ["paid", "packed", "shipped"];
  for (const order of ["orders/1", "orders/2"]) {
    await publish(
      order,
      steps.map((step, i) => ({ body: Buffer.from(JSON.stringify({ step, ms: 30 - 10 * i })) })),
    );
  }
  await arrived(7);
  for (const order of ["orders/1", "orders/2"]) {
    expect(lines.filter((line) => line.startsWith(`${order}:`))).toEqual(
      steps.map((step) => `${order}: ${step}`),
    );
  }
  child.kill("SIGINT");
  expect(await exited).toEqual([0, null]);
}
