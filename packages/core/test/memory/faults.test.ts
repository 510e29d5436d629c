import { describe, expect, it } from "vitest";
import { LabError } from "../../src/index.ts";
import { brokerWithQueue, numbers, publishTexts, subscribe } from "../support/memory.ts";
import { RecordingSink } from "../support/recording-sink.ts";
import { settled } from "../support/turns.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

describe("a cut of the memory broker", () => {
  it("returns what is unsettled in order and delivers it in a new session", async () => {
    const broker = brokerWithQueue(new VirtualClock());
    await publishTexts(broker, numbers(6));
    const sink = new RecordingSink();
    const subscription = await subscribe(broker, sink, 4);
    await sink.received(4);
    const [first, second, third] = sink.deliveries;
    second?.settle("ack");
    broker.cut();
    expect(first?.session.ended).toBe(true);
    expect(first?.session.signal.reason).toMatchObject({ code: "SESSION_ENDED" });
    expect(first?.settle("ack")).toBe("stale");
    expect(broker.depth("q")).toMatchObject({ ready: 5, unsettled: 0 });

    await sink.received(8);
    expect(sink.texts.slice(4)).toEqual(["0", "2", "3", "4"]);
    expect(sink.deliveries.slice(4).map((delivery) => delivery.redelivered)).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(third?.settle("ack")).toBe("stale");
    expect(sink.deliveries[5]?.settle("ack")).toBe("settled");
    await subscription.close();
  });

  it("tells the end of the session once, before anything of the next", async () => {
    const broker = brokerWithQueue(new VirtualClock());
    await publishTexts(broker, numbers(3));
    const sink = new RecordingSink();
    const subscription = await subscribe(broker, sink, 2);
    await sink.received(2);
    const session = sink.deliveries[0]?.session;
    broker.cut();
    await sink.received(4);
    const kinds = sink.told.map((entry) => entry.kind);
    expect(kinds.filter((kind) => kind === "ended")).toHaveLength(1);
    expect(kinds.indexOf("ended")).toBeLessThan(kinds.lastIndexOf("delivery") - 1);
    expect(sink.told.find((entry) => entry.kind === "ended")).toMatchObject({ session });
    expect(sink.deliveries[2]?.session).not.toBe(session);
    expect(sink.states).toEqual(["connecting", "connected", "reconnecting", "connected"]);
    await subscription.close();
  });

  it("merges what several members held into the order published", async () => {
    const broker = brokerWithQueue(new VirtualClock());
    await publishTexts(broker, numbers(8));
    const members = [new RecordingSink(), new RecordingSink()] as const;
    const subscriptions = [];
    for (const member of members) subscriptions.push(await subscribe(broker, member, 3));
    await settled();
    await subscriptions[0]?.close();
    await subscriptions[1]?.close();
    const sink = new RecordingSink();
    const last = await subscribe(broker, sink);
    await sink.received(8);
    expect(sink.texts).toEqual(numbers(8));
    await last.close();
  });

  it("after stop ends the session for good", async () => {
    const broker = brokerWithQueue(new VirtualClock());
    await publishTexts(broker, numbers(3));
    const sink = new RecordingSink();
    const subscription = await subscribe(broker, sink, 2);
    await sink.received(2);
    await subscription.stop();
    broker.cut();
    await settled(50);
    expect(sink.deliveries).toHaveLength(2);
    expect(sink.states.at(-1)).toBe("closed");
    expect(broker.depth("q")).toMatchObject({ ready: 3, unsettled: 0 });
    await subscription.close();
  });
});

describe("a stop of the memory broker", () => {
  it("refuses subscribers, and subscriptions come back when it starts again", async () => {
    const clock = new VirtualClock();
    const broker = brokerWithQueue(clock);
    await publishTexts(broker, numbers(2));
    const sink = new RecordingSink();
    const subscription = await subscribe(broker, sink, 1);
    await sink.received(1);
    broker.stop();
    await expect(subscribe(broker, new RecordingSink())).rejects.toMatchObject({
      code: "BROKER_UNREACHABLE",
    });
    await clock.sleep(60_000);
    expect(sink.deliveries).toHaveLength(1);
    broker.start();
    const started = clock.now();
    await sink.received(2);
    expect(clock.now() - started).toBeLessThanOrEqual(1_000); // The longest wait.
    expect(sink.texts).toEqual(["0", "0"]);
    await subscription.close();
  });

  it("restart keeps the messages and is over when connections are accepted", async () => {
    const broker = brokerWithQueue(new VirtualClock());
    await publishTexts(broker, numbers(2));
    await broker.restart();
    const sink = new RecordingSink();
    const subscription = await subscribe(broker, sink);
    await sink.received(2);
    expect(sink.texts).toEqual(numbers(2));
    await subscription.close();
  });

  it("leaves no timer behind a subscription that was closed while it waits", async () => {
    const waiting = new Set<unknown>();
    const broker = brokerWithQueue({
      now: () => 0,
      setTimeout(callback) {
        waiting.add(callback);
        return callback;
      },
      clearTimeout: (handle) => waiting.delete(handle),
    });
    const subscription = await subscribe(broker, new RecordingSink());
    broker.stop();
    expect(waiting.size).toBe(1);
    await subscription.close();
    expect(waiting.size).toBe(0);
  });
});

describe("a deleted queue", () => {
  it("fails its subscriptions for good", async () => {
    const broker = brokerWithQueue(new VirtualClock());
    await publishTexts(broker, ["a"]);
    const sink = new RecordingSink();
    const subscription = await subscribe(broker, sink);
    await sink.received(1);
    broker.deleteQueue("q");
    expect(sink.told.slice(-3)).toMatchObject([
      { kind: "ended" },
      { kind: "connection", state: "closed" },
      { kind: "failed", error: { code: "SUBSCRIPTION_FAILED" } },
    ]);
    expect(sink.deliveries[0]?.settle("ack")).toBe("stale");
    await subscription.close();
  });

  it("fails a subscription that comes back and does not find it", async () => {
    const broker = brokerWithQueue(new VirtualClock());
    const sink = new RecordingSink();
    const subscription = await subscribe(broker, sink);
    broker.cut();
    broker.deleteQueue("q");
    await sink.until(() => sink.told.at(-1)?.kind === "failed");
    const last = sink.told.at(-1);
    expect(last).toMatchObject({ kind: "failed", error: { code: "SOURCE_MISSING" } });
    expect(last?.kind === "failed" && last.error).toBeInstanceOf(LabError);
    await subscription.close();
  });
});
