import { describe, expect, it } from "vitest";
import { MemoryBroker, type QueueOptions } from "../../src/memory/index.ts";
import { brokerWithQueue, publishTexts } from "../support/memory.ts";
import { RecordingSink } from "../support/recording-sink.ts";
import { settled } from "../support/turns.ts";

describe("subscribing to the memory broker", () => {
  it("fails where the queue is missing", async () => {
    const broker = brokerWithQueue();
    await expect(
      broker.subscriber().subscribe("none", { window: 1 }, new RecordingSink()),
    ).rejects.toMatchObject({ code: "SOURCE_MISSING", message: expect.stringContaining("none") });
  });

  it("fails with the wrong password or with none", async () => {
    const broker = new MemoryBroker({ password: "right" });
    broker.createQueue("q");
    for (const options of [{}, { password: "wrong" }]) {
      await expect(
        broker.subscriber(options).subscribe("q", { window: 1 }, new RecordingSink()),
      ).rejects.toMatchObject({ code: "ACCESS_REFUSED" });
    }
    const subscriber = broker.subscriber({ password: "right" });
    const subscription = await subscriber.subscribe("q", { window: 1 }, new RecordingSink());
    await subscription.close();
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
    "refuses a window of %d",
    async (window) => {
      await expect(
        brokerWithQueue().subscriber().subscribe("q", { window }, new RecordingSink()),
      ).rejects.toMatchObject({ code: "INVALID_OPTION" });
    },
  );

  it("rejects with the signal's reason, aborted before or while it waits, and takes nothing", async () => {
    const broker = brokerWithQueue();
    await publishTexts(broker, ["a"]);
    const sink = new RecordingSink();
    const before = AbortSignal.abort(new Error("before"));
    await expect(
      broker.subscriber().subscribe("q", { window: 1, signal: before }, sink),
    ).rejects.toThrow("before");

    const controller = new AbortController();
    const { signal } = controller;
    const subscribing = broker.subscriber().subscribe("q", { window: 1, signal }, sink);
    controller.abort(new Error("during"));
    await expect(subscribing).rejects.toThrow("during");
    await settled();
    expect(sink.deliveries).toHaveLength(0);
    expect(broker.depth("q")).toEqual({ ready: 1, unsettled: 0, delivered: 0 });
  });

  it("ignores an abort that comes later", async () => {
    const broker = brokerWithQueue();
    const controller = new AbortController();
    const { signal } = controller;
    const sink = new RecordingSink();
    const subscription = await broker.subscriber().subscribe("q", { window: 1, signal }, sink);
    controller.abort();
    await publishTexts(broker, ["a"]);
    await sink.received(1);
    await subscription.close();
  });
});

describe("queues of the memory broker", () => {
  it.each<[string, QueueOptions]>([
    ["maxDeliveries of 0", { maxDeliveries: 0 }],
    ["maxDeliveries of 1.5", { maxDeliveries: 1.5 }],
    ["a dead-letter queue that is not there", { deadLetterQueue: "none" }],
  ])("refuses %s", (_, options) => {
    const broker = new MemoryBroker();
    expect(() => broker.createQueue("q", options)).toThrow(
      expect.objectContaining({ code: "INVALID_OPTION" }),
    );
  });

  it("refuses a name twice", () => {
    expect(() => brokerWithQueue().createQueue("q")).toThrow(
      expect.objectContaining({ code: "INVALID_OPTION" }),
    );
  });

  it("purges what is ready and says how much it was", async () => {
    const broker = brokerWithQueue();
    await publishTexts(broker, ["a", "b"]);
    expect(broker.purge("q")).toBe(2);
    expect(broker.depth("q").ready).toBe(0);
  });
});
