import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { findCommand, run } from "../src/command.ts";

const script = fileURLToPath(new URL("../../../docker/solace/create-queues.sh", import.meta.url));
const withCurl = findCommand("curl") !== undefined;
if (!withCurl) console.warn("Skipped: the script that creates Solace queues. There is no curl.");

interface Asked {
  readonly path: string;
  readonly body: Record<string, unknown>;
}

/** Stands in for the SEMP service of a broker: writes down what it is asked, and answers as it is told. */
async function semp(answer: (asked: Asked) => object): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const one = { path: `${request.method} ${request.url}`, body: JSON.parse(text) };
    asked.push(one);
    response.end(JSON.stringify({ meta: answer(one) }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const base = "POST /SEMP/v2/config/msgVpns/default/queues";

test.runIf(withCurl)("creates a queue, its dead message queue and its subscription", async () => {
  const { url, asked } = await semp(() => ({ responseCode: 200 }));
  const env = { SEMP_URL: url, PARTITIONS: "8", MAX_UNACKED: "512", MAX_REDELIVERY: "3" };
  await run(script, ["orders"], { env, timeout: 20_000 });
  expect(asked.map(({ path }) => path)).toEqual([base, base, `${base}/orders/subscriptions`]);
  expect(asked[0]?.body).toMatchObject({ queueName: "orders-dmq", egressEnabled: true });
  expect(asked[1]?.body).toMatchObject({
    queueName: "orders",
    accessType: "non-exclusive",
    partitionCount: 8,
    maxDeliveredUnackedMsgsPerFlow: 512,
    maxRedeliveryCount: 3,
    deliveryCountEnabled: false,
    deadMsgQueue: "orders-dmq",
  });
  expect(asked[2]?.body).toEqual({ subscriptionTopic: "orders/>" });
});

test.runIf(withCurl)("leaves alone what is there", async () => {
  const exists = { responseCode: 400, error: { status: "ALREADY_EXISTS" } };
  const { url, asked } = await semp(() => exists);
  const said = await run(script, ["a", "b"], { env: { SEMP_URL: url }, timeout: 20_000 });
  expect(asked).toHaveLength(6);
  expect(said).toContain("queues is there already");
});

test.runIf(withCurl)("fails with what the broker says", async () => {
  const { url, asked } = await semp(() => ({
    responseCode: 400,
    error: { status: "UNAUTHORIZED" },
  }));
  const running = run(script, ["orders"], { env: { SEMP_URL: url }, timeout: 20_000 });
  await expect(running).rejects.toThrow(/UNAUTHORIZED/);
  expect(asked).toHaveLength(1);
});

test.runIf(withCurl)("says how it is used", async () => {
  await expect(run(script, [], { timeout: 20_000 })).rejects.toThrow(/usage: .* queue/);
});
