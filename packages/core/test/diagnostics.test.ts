import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type ConsumeOptions,
  consume,
  type Delivery,
  type Diagnostics,
  type Subscriber,
} from "@lab/core";
import { MemoryBroker } from "@lab/core/memory";
import { afterEach, beforeEach, expect, test } from "vitest";
import { diagnostics } from "../src/diagnostics.ts";

type Name = keyof Diagnostics;
const names = Object.keys(diagnostics) as Name[];

/** Of the tests of this file, together. */
const ever = new Set<Name>();
let events: { name: Name; message: Diagnostics[Name] }[] = [];
const note = (message: unknown, name: string | symbol): void => {
  ever.add(name as Name);
  events.push({ name: name as Name, message: message as Diagnostics[Name] });
};
const seen = (name: Name): unknown[] =>
  events.filter((event) => event.name === name).map((event) => event.message);

let broker: MemoryBroker;

beforeEach(() => {
  events = [];
  broker = new MemoryBroker();
  broker.createQueue("orders");
  broker.createQueue("dead");
  for (const name of names) subscribe(name, note);
});

afterEach(() => {
  for (const name of names) unsubscribe(name, note);
});

const publish = (...keys: string[]): Promise<void> =>
  broker.publisher().publish(
    "orders",
    keys.map((key) => ({ key, body: Buffer.from(key) })),
  );

const options = (
  given: Partial<ConsumeOptions<Uint8Array>>,
): ConsumeOptions<Uint8Array> & { deserialize?: never } => ({
  subscriber: broker.subscriber(),
  source: "orders",
  handler: () => {},
  ...(given as object),
});

/** A broker whose acknowledgements fail. */
function withBrokenSettle(): Subscriber {
  const inner = broker.subscriber();
  const broken = ({ message, redelivered, deliveryCount, session }: Delivery): Delivery => ({
    message,
    redelivered,
    deliveryCount,
    session,
    settle: () => {
      throw new Error("wire cut");
    },
  });
  return {
    capabilities: inner.capabilities,
    subscribe: (source, window, sink) =>
      inner.subscribe(source, window, {
        deliver: (delivery) => sink.deliver(broken(delivery)),
        sessionEnded: (session) => sink.sessionEnded(session),
        connection: (state, cause) => sink.connection(state, cause),
        failed: (error) => sink.failed(error),
      }),
  };
}

test("a message that succeeds: received, handled, with its consumer's start and end", async () => {
  await publish("a");
  const consumer = await consume(options({}));
  while (consumer.stats().handled < 1) await sleep(1);
  await consumer.drain();
  const names = events.map(({ name }) => name).filter((name) => name !== "lab:connection");
  expect(names.filter((name) => name.startsWith("lab:message"))).toEqual([
    "lab:message:received",
    "lab:message:handled",
  ]);
  expect(seen("lab:consumer:started")).toEqual([{ source: "orders" }]);
  expect(seen("lab:consumer:closed")).toEqual([{ source: "orders", left: 0 }]);
  expect(seen("lab:message:handled")).toMatchObject([{ source: "orders", key: "a", attempt: 1 }]);
  expect(seen("lab:connection")).toMatchObject([
    { state: "connecting" },
    { state: "connected" },
    { state: "closed" },
  ]);
});

test("a failing message: failed and retried, then a dead letter", async () => {
  await publish("a");
  const consumer = await consume(
    options({
      handler: () => Promise.reject(new Error("no")),
      retry: { attempts: 2, base: 1, jitter: 0 },
      deadLetter: { publisher: broker.publisher(), destination: "dead" },
    }),
  );
  while (consumer.stats().deadLettered < 1) await sleep(1);
  await consumer.drain();
  expect(seen("lab:message:failed")).toMatchObject([
    { attempt: 1, error: { code: "HANDLER_FAILED" } },
    { attempt: 2 },
  ]);
  expect(seen("lab:message:retry")).toMatchObject([{ attempt: 1, delay: 1 }]);
  expect(seen("lab:message:dead-lettered")).toMatchObject([{ key: "a", destination: "dead" }]);
});

test("a dead letter that cannot be published, and the consumer it ends", async () => {
  await publish("a");
  const consumer = await consume(
    options({
      handler: () => Promise.reject(new Error("no")),
      retry: { attempts: 1 },
      deadLetter: { publisher: broker.publisher(), destination: "nowhere" },
    }),
  );
  await expect(consumer.closed).rejects.toMatchObject({ code: "DEAD_LETTER_FAILED" });
  expect(seen("lab:dead-letter:failed")).toHaveLength(1);
  expect(seen("lab:consumer:closed")).toMatchObject([
    { error: { code: "DEAD_LETTER_FAILED" }, left: 1 },
  ]);
});

test("a rejected message, and a halted key", async () => {
  await publish("a");
  const handler = (): Promise<never> => Promise.reject(new Error("no"));
  const retry = { attempts: 1 };
  const rejecting = await consume(options({ handler, retry, onFailure: "reject" }));
  while (rejecting.stats().rejected < 1) await sleep(1);
  await rejecting.drain();
  expect(seen("lab:message:rejected")).toMatchObject([{ key: "a" }]);

  await publish("b");
  const halting = await consume(options({ handler, retry, onFailure: "halt" }));
  while (halting.stats().halted < 1) await sleep(1);
  await halting.drain();
  expect(seen("lab:key:halted")).toMatchObject([{ key: "b", error: { code: "HANDLER_FAILED" } }]);
});

test("a session that ends: what was queued is dropped, what runs is stale", async () => {
  await publish("a", "a");
  const started = gate();
  const consumer = await consume(options({ handler: started.wait, lanes: 1 }));
  await started.entered;
  broker.cut();
  started.open();
  while (consumer.stats().handled < 2) await sleep(1);
  await consumer.drain();
  expect(seen("lab:session:ended")[0]).toEqual({ source: "orders", dropped: 1 });
  expect(seen("lab:message:stale")).toMatchObject([{ key: "a", outcome: "ack" }]);
});

test("a settle that fails", async () => {
  await publish("a");
  const consumer = await consume(options({ subscriber: withBrokenSettle() }));
  while (consumer.stats().settleFailures < 1) await sleep(1);
  await consumer.drain({ timeout: 0 });
  expect(seen("lab:settle:failed")).toMatchObject([
    { outcome: "ack", error: { code: "SETTLE_FAILED" } },
  ]);
});

/** A handler that says when it has been entered and returns when it is let. */
function gate(): { entered: Promise<void>; open: () => void; wait: () => Promise<void> } {
  let open = (): void => {};
  let enter = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const entered = new Promise<void>((resolve) => {
    enter = resolve;
  });
  const wait = (): Promise<void> => {
    enter();
    return opened;
  };
  return { entered, open, wait };
}

test("the tests above have heard from every channel", () => {
  expect(names.filter((name) => !ever.has(name))).toEqual([]);
});
