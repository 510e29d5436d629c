import { type ConsumeOptions, consume, json } from "@lab/core";
import { MemoryBroker } from "@lab/core/memory";
import { describe, expect, test } from "vitest";

const broker = new MemoryBroker();
broker.createQueue("orders");
const publisher = broker.publisher();
const subscriber = broker.subscriber();
const cannotReject = {
  capabilities: { ...subscriber.capabilities, reject: false },
  subscribe: subscriber.subscribe.bind(subscriber),
};
const right = { subscriber, source: "orders", handler: () => {} };

/** Option given, what the error must show of it, and what was expected. */
const wrong: [Record<string, unknown>, RegExp][] = [
  [{ subscriber: undefined }, /`subscriber` to be a Subscriber, got undefined/],
  [{ source: "" }, /`source` to be a non-empty string, got ""/],
  [{ handler: "work" }, /`handler` to be a function, got "work" \(string\)/],
  [{ key: "id" }, /`key` to be a function/],
  [{ deserialize: {} }, /`deserialize` to be a function, or an object.*`json\(schema\)`/],
  [{ deserialize: json }, /`deserialize` to be what `json` returns.*Call it/],
  [{ window: 0 }, /`window` to be an integer ≥ 1, got 0 \(number\)/],
  [{ window: 1.5 }, /`window` to be an integer/],
  [{ window: "8" }, /`window` to be an integer ≥ 1, got "8" \(string\)/],
  [{ lanes: 0 }, /`lanes` to be an integer from 1 to 65536, got 0/],
  [{ lanes: Number.NaN }, /`lanes` to be an integer/],
  [{ dispatch: "random" }, /`dispatch` to be one of "keyed", "hashed", "inline", got "random"/],
  [{ dispatch: "inline", lanes: 4 }, /`lanes` to be absent or 1.*Use "keyed"/],
  [{ retry: { attempts: 0 } }, /`retry.attempts` to be an integer ≥ 1, got 0.*no retry/],
  [{ retry: { base: -1 } }, /`retry.base` to be a number from 0 to/],
  [{ retry: { factor: 0.5 } }, /`retry.factor` to be a number from 1/],
  [
    { retry: { base: 100, cap: 10 } },
    /`retry.cap` to be a number from 100 .*not below `retry.base`/,
  ],
  [{ retry: { jitter: 2 } }, /`retry.jitter` to be a number from 0 to 1, got 2/],
  [{ retry: { retryable: true } }, /`retry.retryable` to be a function/],
  [{ retry: { attempt: 3 } }, /`retry.attempt` to be absent.*Known: attempts, base/],
  [
    { deadLetter: { destination: "dead" } },
    /`deadLetter.publisher` to be a Publisher, got undefined/,
  ],
  [{ deadLetter: { publisher, destination: "" } }, /`deadLetter.destination` to be a non-empty/],
  [{ onFailure: "dead-letter" }, /`deadLetter` to be given.*Pass `deadLetter/],
  [{ onFailure: "halt", deadLetter: { publisher, destination: "dead" } }, /contradict/],
  [{ onFailure: "requeue" }, /`onFailure` to be one of/],
  [{ onFailure: "reject", subscriber: cannotReject }, /Its broker cannot reject/],
  [{ handlerTimeout: 0 }, /`handlerTimeout` to be a number from 1 to 2147483647 ms, got 0/],
  [{ drainTimeout: Number.POSITIVE_INFINITY }, /`drainTimeout` to be a number/],
  [{ signal: {} }, /`signal` to be an AbortSignal/],
  [{ lane: 4 }, /`options.lane` to be absent, got 4.*Known: subscriber, source/],
  [{ toString: 4 }, /`options.toString` to be absent/],
  [{ lanes: Object.create(null) }, /`lanes` to be an integer from 1 to 65536, got an object/],
  [{ lanes: 2 ** 20 }, /`lanes` to be an integer from 1 to 65536, got 1048576/],
  [{ source: ["orders"] }, /`source` to be a non-empty string, got an array/],
  [{ subscriber: { subscribe: () => {} } }, /`subscriber` to be a Subscriber/],
  [{ retry: 5 }, /`retry` to be an object, got 5/],
  [{ retry: null }, /`retry` to be an object, got null/],
  [{ deadLetter: "dead" }, /`deadLetter` to be an object, got "dead"/],
  [{ deadLetter: null }, /`deadLetter` to be an object, got null/],
  [{ deadLetter: { publisher: { publish() {} }, destination: "dead" } }, /a Publisher/],
  [{ clock: {} }, /`clock` to be a Clock/],
];

describe("an option that cannot work is refused before anything is opened", () => {
  test.each(wrong)("%o", async (option, text) => {
    const options = { ...right, ...option } as unknown as ConsumeOptions<Uint8Array>;
    await expect(consume(options)).rejects.toMatchObject({
      code: "INVALID_OPTION",
      message: expect.stringMatching(text),
    });
  });
});

test.each([undefined, null, 5])("options that are none, %o, are refused", async (none) => {
  await expect(consume(none as unknown as ConsumeOptions<Uint8Array>)).rejects.toMatchObject({
    code: "INVALID_OPTION",
    message: expect.stringContaining("`options` to be an object"),
  });
});

test("a drain with a time that cannot be is refused, and the consumer goes on", async () => {
  const consumer = await consume(right);
  await expect(consumer.drain({ timeout: -1 })).rejects.toThrow(/`timeout` to be a number from 0/);
  const number = 5_000 as unknown as { timeout: number };
  await expect(consumer.drain(number)).rejects.toThrow(/`options` to be an object, got 5000/);
  expect(consumer.stats().connection).toBe("connected");
  await consumer.stop();
});

test("defaults: 32 keyed lanes, a window of four times the lanes, at least 64", async () => {
  const consumers = await Promise.all([
    consume(right),
    consume({ ...right, lanes: 2 }),
    consume({ ...right, dispatch: "inline" }),
  ]);
  const shapes = consumers.map((consumer) => consumer.stats());
  expect(shapes.map(({ lanes, window }) => [lanes.length, window])).toEqual([
    [32, 128],
    [2, 64],
    [1, 64],
  ]);
  await Promise.all(consumers.map((consumer) => consumer.stop()));
});
