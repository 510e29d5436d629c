import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { AdapterSession } from "../../src/adapter/index.ts";
import {
  type ConsumeOptions,
  type Consumer,
  consume,
  type Delivery,
  type Dispatch,
} from "../../src/index.ts";
import { HandDriven } from "../support/hand-driven.ts";
import { settled } from "../support/turns.ts";

/** A consumer whose handler waits until the test lets the message go. */
class Bench {
  readonly adapter: HandDriven = new HandDriven();
  readonly begun: string[] = [];
  readonly #letGo = new Map<string, (error?: Error) => void>();

  consume(options: Partial<ConsumeOptions<string>> = {}): Promise<Consumer> {
    return consume<string>({
      subscriber: this.adapter,
      source: "q",
      deserialize: ({ body }) => Buffer.from(body).toString(),
      handler: (text) => {
        this.begun.push(text);
        return new Promise<void>((resolve, reject) => {
          this.#letGo.set(text, (error) => (error === undefined ? resolve() : reject(error)));
        });
      },
      retry: { attempts: 2, base: 30_000 }, // Longer than a test may take.
      ...options,
    });
  }

  async letGo(text: string, error?: Error): Promise<void> {
    this.#letGo.get(text)?.(error);
    await settled();
  }
}

describe("an adapter with several sessions at once, as partitions are", () => {
  it("loses only what belongs to the session that ends", async () => {
    const bench = new Bench();
    const { adapter } = bench;
    const consumer = await bench.consume();
    const [one, two] = [new AdapterSession(), new AdapterSession()];
    adapter.deliver(one, "a", "one a1");
    adapter.deliver(one, "a", "one a2");
    adapter.deliver(two, "b", "two b1");
    adapter.deliver(two, "b", "two b2");
    adapter.end(one);
    expect(consumer.stats()).toMatchObject({ unsettled: 2, dropped: 1 });
    await bench.letGo("two b1");
    await bench.letGo("two b2");
    await bench.letGo("one a1");
    expect(adapter.settled).toEqual([
      ["two b1", "ack"],
      ["two b2", "ack"],
    ]);
    expect(bench.begun).toEqual(["one a1", "two b1", "two b2"]);
    expect(consumer.stats()).toMatchObject({ unsettled: 0, handled: 2, staleSettles: 1 });
    await consumer.drain();
  });

  it("keeps what a later session delivered of the same key behind the handler of the earlier", async () => {
    const bench = new Bench();
    const { adapter } = bench;
    const consumer = await bench.consume();
    const [one, two] = [new AdapterSession(), new AdapterSession()];
    adapter.deliver(one, "a", "first");
    adapter.deliver(one, "a", "second");
    adapter.end(one);
    adapter.deliver(two, "a", "first again");
    adapter.deliver(two, "a", "second again");
    await settled();
    expect(bench.begun).toEqual(["first"]);
    await bench.letGo("first");
    expect(bench.begun).toEqual(["first", "first again"]);
    await bench.letGo("first again");
    await bench.letGo("second again");
    expect(adapter.settled).toEqual([
      ["first again", "ack"],
      ["second again", "ack"],
    ]);
    await consumer.drain();
  });

  it("gives a key of a live session its turn when the retry before it is dropped with its session", async () => {
    const bench = new Bench();
    const { adapter } = bench;
    const consumer = await bench.consume({ lanes: 1 });
    const [one, two] = [new AdapterSession(), new AdapterSession()];
    adapter.deliver(one, "a", "fails");
    adapter.deliver(two, "a", "waits");
    await bench.letGo("fails", new Error("planned"));
    expect(bench.begun).toEqual(["fails"]);
    adapter.end(one); // Before the retry is due.
    expect(bench.begun).toEqual(["fails", "waits"]);
    await bench.letGo("waits");
    expect(consumer.stats()).toMatchObject({ handled: 1, dropped: 1, retried: 1, unsettled: 0 });
    await consumer.drain();
  });
});

describe.each<Dispatch>(["keyed", "hashed", "inline"])(
  "calls from within a settle, %s",
  (dispatch) => {
    it("may deliver the next message", async () => {
      const count = 20_000;
      const adapter = new HandDriven();
      const session = new AdapterSession();
      let delivered = 0;
      const next = (): void => {
        if (delivered < count) adapter.deliver(session, String(delivered % 5), String(delivered++));
      };
      adapter.onSettle = next;
      const handled: string[] = [];
      const consumer = await consume({
        subscriber: adapter,
        source: "q",
        dispatch,
        handler: (body) => {
          handled.push(Buffer.from(body).toString());
        },
      });
      next(); // All in one call: the stack has to stay flat.
      expect(handled).toEqual(Array.from({ length: count }, (_, index) => String(index)));
      // What is being settled is settled for the adapter, and for whoever reads the figures.
      expect(consumer.stats()).toMatchObject({ handled: count, unsettled: 0, maxUnsettled: 1 });
      await consumer.drain();
    });

    it("may end the session", async () => {
      const adapter = new HandDriven();
      const [one, two] = [new AdapterSession(), new AdapterSession()];
      adapter.onSettle = () => {
        if (one.ended) return;
        adapter.end(one);
        adapter.deliver(two, "a", "in the next session");
      };
      const handled: string[] = [];
      const consumer = await consume({
        subscriber: adapter,
        source: "q",
        dispatch,
        handler: async (body) => {
          handled.push(Buffer.from(body).toString());
        },
      });
      adapter.deliver(one, "a", "settled last");
      adapter.deliver(one, "a", "dropped");
      adapter.deliver(one, "b", "stale");
      await settled();
      expect(handled).toContain("in the next session");
      expect(handled).not.toContain("dropped");
      expect(adapter.settled[0]).toEqual(["settled last", "ack"]);
      expect(consumer.stats().unsettled).toBe(0);
      expect(await consumer.drain()).toEqual({ complete: true, left: 0 });
    });

    it("may end the consumer", async () => {
      const adapter = new HandDriven();
      const session = new AdapterSession();
      const consumer = await consume({
        subscriber: adapter,
        source: "q",
        dispatch,
        lanes: 1,
        handler: async () => {},
      });
      adapter.onSettle = () => void consumer.stop();
      for (const text of ["a", "b", "c"]) adapter.deliver(session, text, text);
      await consumer.closed;
      expect(adapter.settled).toEqual([["a", "ack"]]);
    });
  },
);

describe("calls from within what the user has given", () => {
  /** Four messages; the key selector, or a subscriber of the event, makes the call at each "last". */
  async function withCall(
    where: "the key selector" | "a subscriber of the event",
    call: (adapter: HandDriven, session: AdapterSession, consumer: Consumer) => void,
  ): Promise<{ begun: string[]; consumer: Consumer }> {
    const bench = new Bench();
    const session = new AdapterSession();
    const act = (text: string): void => {
      if (text === "last") call(bench.adapter, session, consumer);
    };
    const onReceived = (event: unknown): void => {
      const { delivery } = event as { delivery: Delivery };
      act(Buffer.from(delivery.message.body).toString());
    };
    const consumer = await bench.consume({
      key: ({ key, body }) => {
        if (where === "the key selector") act(Buffer.from(body).toString());
        return key;
      },
    });
    if (where !== "the key selector") subscribe("lab:message:received", onReceived);
    bench.adapter.deliver(session, "a", "first");
    bench.adapter.deliver(session, "b", "before");
    bench.adapter.deliver(session, "c", "last"); // A lane is free for it.
    bench.adapter.deliver(session, "b", "last");
    unsubscribe("lab:message:received", onReceived);
    for (const text of ["first", "before", "last"]) await bench.letGo(text);
    return { begun: bench.begun, consumer };
  }
  const places = ["the key selector", "a subscriber of the event"] as const;

  it.each(places)("%s may end the session: nothing of it begins any more", async (place) => {
    const { begun, consumer } = await withCall(place, (adapter, session) => adapter.end(session));
    expect(begun).toEqual(["first", "before"]);
    expect(consumer.stats()).toMatchObject({ received: 4, dropped: 2, unsettled: 0 });
    expect(await consumer.drain()).toEqual({ complete: true, left: 0 });
  });

  it.each(places)("%s may stop the consumer: nothing begins any more", async (place) => {
    const { begun, consumer } = await withCall(place, (_, __, consumer) => void consumer.stop());
    expect(begun).toEqual(["first", "before"]);
    await consumer.closed;
  });

  it.each<[string, (adapter: HandDriven, session: AdapterSession, consumer: Consumer) => void]>([
    ["the session", (adapter, session) => adapter.end(session)],
    ["the consumer", (_, __, consumer) => void consumer.stop()],
  ])("`retryable` may end %s: there is no retry", async (_, end) => {
    const bench = new Bench();
    const session = new AdapterSession();
    const consumer: Consumer = await bench.consume({
      retry: {
        attempts: 2,
        base: 0,
        retryable: () => {
          end(bench.adapter, session, consumer);
          return true;
        },
      },
    });
    bench.adapter.deliver(session, "a", "fails");
    await bench.letGo("fails", new Error("planned"));
    await sleep(10); // A retry would be due at once.
    expect(bench.begun).toEqual(["fails"]);
    expect(consumer.stats()).toMatchObject({ failed: 1, retried: 0 });
    await consumer.stop();
  });

  it("a subscriber of the event that a message was handled may end the session", async () => {
    const bench = new Bench();
    const { adapter } = bench;
    const consumer = await bench.consume();
    const session = new AdapterSession();
    const onHandled = (): void => adapter.end(session);
    subscribe("lab:message:handled", onHandled);
    adapter.deliver(session, "a", "first");
    adapter.deliver(session, "a", "second");
    await bench.letGo("first");
    unsubscribe("lab:message:handled", onHandled);
    expect(consumer.stats()).toMatchObject({ handled: 1, dropped: 1, unsettled: 0 });
    expect(await consumer.drain()).toEqual({ complete: true, left: 0 });
  });
});
