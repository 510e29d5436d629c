import { describe, expect, it } from "vitest";
import { brokerWithQueue, numbers, publishTexts, subscribe } from "../support/memory.ts";
import { RecordingSink } from "../support/recording-sink.ts";
import { settled } from "../support/turns.ts";

describe("delivery from the memory broker", () => {
  it("hands over a backlog in the order it was published", async () => {
    const broker = brokerWithQueue();
    await publishTexts(broker, numbers(5000)); // Several chunks of the queue, several turns.
    const sink = new RecordingSink((delivery) => delivery.settle("ack"));
    const subscription = await subscribe(broker, sink);
    await sink.received(5000);
    expect(sink.texts).toEqual(numbers(5000));
    expect(broker.depth("q")).toEqual({ ready: 0, unsettled: 0, delivered: 5000 });
    await subscription.close();
  });

  it("hands over what is published later", async () => {
    const broker = brokerWithQueue();
    const sink = new RecordingSink();
    const subscription = await subscribe(broker, sink);
    await publishTexts(broker, ["late"]);
    await sink.received(1);
    expect(sink.texts).toEqual(["late"]);
    await subscription.close();
  });

  it.each([1, 3, 64])("stops at a window of %i and goes on with each settle", async (window) => {
    const broker = brokerWithQueue();
    await publishTexts(broker, numbers(100));
    const sink = new RecordingSink();
    const subscription = await subscribe(broker, sink, window);
    await settled();
    expect(sink.deliveries).toHaveLength(window);
    expect(broker.depth("q")).toMatchObject({ ready: 100 - window, unsettled: window });
    sink.deliveries[window - 1]?.settle("ack"); // The last one first: settled one by one.
    await settled();
    expect(sink.deliveries).toHaveLength(window + 1);
    expect(broker.depth("q")).toMatchObject({ ready: 99 - window, unsettled: window });
    await subscription.close();
  });

  it("never delivers from within a settle", async () => {
    const broker = brokerWithQueue();
    await publishTexts(broker, numbers(10));
    let inside = 0;
    let deepest = 0;
    const sink = new RecordingSink((delivery) => {
      deepest = Math.max(deepest, ++inside);
      delivery.settle("ack");
      inside--;
    });
    const subscription = await subscribe(broker, sink, 1);
    await sink.received(10);
    expect(deepest).toBe(1);
    await subscription.close();
  });

  it("lets other work run while a handler settles everything at once", async () => {
    const broker = brokerWithQueue();
    await publishTexts(broker, numbers(50_000));
    const sink = new RecordingSink((delivery) => delivery.settle("ack"));
    const subscription = await subscribe(broker, sink);
    await new Promise((resolve) => setImmediate(resolve));
    expect(sink.deliveries.length).toBeLessThan(5_000);
    await sink.received(50_000);
    await subscription.close();
  });

  it("shares a queue among its consumers", async () => {
    const broker = brokerWithQueue();
    await publishTexts(broker, numbers(40));
    const sinks = [new RecordingSink(), new RecordingSink()] as const;
    const subscriptions = [];
    for (const sink of sinks) subscriptions.push(await subscribe(broker, sink, 20));
    await settled();
    expect(sinks.map((sink) => sink.deliveries.length)).toEqual([20, 20]);
    const all = sinks.flatMap((sink) => sink.texts).map(Number);
    expect(all.toSorted((a, b) => a - b)).toEqual(numbers(40).map(Number));
    for (const subscription of subscriptions) await subscription.close();
  });

  it("gives a member that is full nothing more, and the others the rest", async () => {
    const broker = brokerWithQueue();
    await publishTexts(broker, numbers(100));
    const stuck = new RecordingSink();
    const busy = new RecordingSink((delivery) => delivery.settle("ack"));
    const first = await subscribe(broker, stuck, 2);
    const second = await subscribe(broker, busy, 5);
    await busy.received(98);
    expect(stuck.deliveries).toHaveLength(2);
    await first.close();
    await busy.received(100);
    await second.close();
  });

  it("delivers nothing after stop, and settling still works", async () => {
    const broker = brokerWithQueue();
    await publishTexts(broker, numbers(10));
    const sink = new RecordingSink();
    const subscription = await subscribe(broker, sink, 4);
    await sink.received(4);
    const stopped = subscription.stop();
    for (const delivery of sink.deliveries) expect(delivery.settle("ack")).toBe("settled");
    await stopped;
    await subscription.stop();
    await settled();
    expect(sink.deliveries).toHaveLength(4);
    expect(broker.depth("q")).toMatchObject({ ready: 6, unsettled: 0 });
    await subscription.close();
  });

  it("gives back what is unsettled on close, in its old place", async () => {
    const broker = brokerWithQueue();
    await publishTexts(broker, numbers(6));
    const sink = new RecordingSink();
    const subscription = await subscribe(broker, sink, 4);
    await sink.received(4);
    sink.deliveries[1]?.settle("ack");
    await subscription.close();
    await subscription.close();
    expect(broker.depth("q")).toMatchObject({ ready: 5, unsettled: 0 });
    expect(sink.deliveries[0]?.settle("ack")).toBe("stale");
    expect(sink.told.filter((entry) => entry.kind === "ended")).toHaveLength(1);
    expect(sink.states.at(-1)).toBe("closed");

    const again = new RecordingSink();
    const next = await subscribe(broker, again);
    await again.received(5);
    expect(again.texts).toEqual(["0", "2", "3", "4", "5"]);
    await next.close();
  });

  it("carries body, key and headers as they were given, whatever becomes of the buffer", async () => {
    const broker = brokerWithQueue();
    const publisher = broker.publisher();
    const body = Uint8Array.of(0, 255, 128);
    const headers = { häder: "wért ✓" };
    const publishing = publisher.publish("q", [
      { body, key: "schlüssel ✓", headers },
      { body: new Uint8Array() },
    ]);
    body.fill(7);
    headers.häder = "changed";
    await publishing;
    const sink = new RecordingSink();
    const subscription = await subscribe(broker, sink);
    await sink.received(2);
    const [first, second] = sink.deliveries.map((delivery) => delivery.message);
    expect([...(first?.body ?? [])]).toEqual([0, 255, 128]);
    expect(first).toMatchObject({
      key: "schlüssel ✓",
      headers: { häder: "wért ✓" },
      destination: "q",
    });
    expect(second).toMatchObject({ key: undefined, headers: {} });
    expect(second?.body.byteLength).toBe(0);
    await subscription.close();
  });
});
