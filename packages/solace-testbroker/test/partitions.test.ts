import type { SolaceTestBroker } from "@lab/solace-testbroker";
import { expect, test } from "vitest";
import { partitionOfKey } from "../src/partition.ts";
import { started } from "./support/broker.ts";
import { bind, type Client, type Consumer, connect, eventually } from "./support/client.ts";

const keys = Array.from({ length: 40 }, (_, index) => `key-${index}`);

async function partitioned(
  maxHandoffTime = 3_000,
): Promise<{ broker: SolaceTestBroker; client: Client }> {
  const broker = await started();
  broker.createQueue("q", { access: "non-exclusive", partitions: 12, maxHandoffTime });
  return { broker, client: await connect(broker) };
}

function publishRound(client: Client, round: number): void {
  for (const key of keys) client.publish("q", `${key}/${round}`, { key });
}

const keysOf = ({ bodies }: Consumer): Set<string> =>
  new Set(bodies.map((body) => body.split("/")[0] as string));

/** What a consumer had in hand when its partition moved comes again, so a body may be there twice. */
const orderOf = (bodies: readonly string[], key: string): number[] =>
  [...new Set(bodies)]
    .filter((body) => body.startsWith(`${key}/`))
    .map((b) => Number(b.split("/")[1]));

test("each key goes to one consumer, in order, and the keys are spread", async () => {
  const { broker, client } = await partitioned();
  const consumers = [await bind(client, "q"), await bind(client, "q"), await bind(client, "q")];
  for (let round = 0; round < 5; round++) publishRound(client, round);
  await eventually("delivery", () => consumers.flatMap(({ bodies }) => bodies).length === 200);
  const spread = consumers.map(keysOf);
  for (const [index, one] of spread.entries()) {
    expect(one.size).toBeGreaterThan(0);
    for (const other of spread.slice(index + 1)) {
      expect([...one].filter((key) => other.has(key))).toEqual([]);
    }
  }
  for (const key of keys) {
    const all = consumers.flatMap(({ bodies }) => orderOf(bodies, key));
    expect(all).toEqual([0, 1, 2, 3, 4]);
  }
  expect(broker.depth("q").unacknowledged).toBe(200);
});

test("what a consumer leaves goes to the others, with its partitions", async () => {
  const { client } = await partitioned();
  const staying = await bind(client, "q");
  const leaving = await bind(client, "q");
  publishRound(client, 0);
  await eventually("delivery", () => staying.bodies.length + leaving.bodies.length === keys.length);
  leaving.consumer.disconnect();
  await eventually("all at one", () => keysOf(staying).size === keys.length);
  publishRound(client, 1);
  await eventually("the next round", () => staying.bodies.length === 2 * keys.length);
  for (const key of keys) expect(orderOf(staying.bodies, key)).toEqual([0, 1]);
});

test("a partition that moves waits for what its old consumer has in hand", async () => {
  const { client } = await partitioned();
  const old = await bind(client, "q");
  publishRound(client, 0);
  await eventually("delivery", () => old.bodies.length === keys.length);
  const joining = await bind(client, "q");
  publishRound(client, 1);
  await eventually("the rest", () => client.confirmed.length === 2 * keys.length);
  expect(joining.bodies).toEqual([]);
  for (const message of old.messages.splice(0)) message.acknowledge();
  await eventually(
    "both to get the next round",
    () =>
      joining.bodies.length > 0 && old.bodies.length + joining.bodies.length === 2 * keys.length,
  );
  for (const body of joining.bodies) expect(body).toMatch(/\/1$/);
});

test("but not for ever", async () => {
  const { client } = await partitioned(50);
  const old = await bind(client, "q");
  publishRound(client, 0);
  await eventually("delivery", () => old.bodies.length === keys.length);
  const joining = await bind(client, "q");
  await eventually("its share", () => joining.bodies.length > 0);
  expect(joining.messages[0]?.isRedelivered()).toBe(true);
});

test("keys spread evenly over partitions", () => {
  const counts = new Array<number>(8).fill(0);
  for (let index = 0; index < 8_000; index++) {
    const place = partitionOfKey(`order-${index}`, 8);
    counts[place] = (counts[place] as number) + 1;
  }
  for (const count of counts) {
    expect(count).toBeGreaterThan(850);
    expect(count).toBeLessThan(1_150);
  }
});
