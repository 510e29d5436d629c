import { describe, expect, it } from "vitest";
import { consume, LabError, type Subscriber } from "../../src/index.ts";
import { MemoryBroker } from "../../src/memory/index.ts";
import { publishTexts } from "../support/memory.ts";
import { settled } from "../support/turns.ts";

const handler = (): void => {};

describe("consume", () => {
  it("rejects with what the subscriber says, fast", async () => {
    const broker = new MemoryBroker({ password: "right" });
    broker.createQueue("q");
    const wrong = { subscriber: broker.subscriber(), source: "q", handler };
    await expect(consume(wrong)).rejects.toMatchObject({ code: "ACCESS_REFUSED" });
    const subscriber = broker.subscriber({ password: "right" });
    const missing = { subscriber, source: "none", handler };
    await expect(consume(missing)).rejects.toMatchObject({ code: "SOURCE_MISSING" });
    broker.stop();
    const down = { subscriber, source: "q", handler };
    await expect(consume(down)).rejects.toMatchObject({ code: "BROKER_UNREACHABLE" });
  });

  it("handles what is delivered before the subscriber has answered", async () => {
    const broker = new MemoryBroker();
    broker.createQueue("q");
    await publishTexts(broker, ["a", "b"]);
    let handled = 0;
    const consumer = await consume({
      subscriber: slowToAnswer(broker.subscriber()),
      source: "q",
      handler: () => {
        handled++;
      },
    });
    expect(handled).toBe(2);
    expect(await consumer.drain()).toEqual({ complete: true, left: 0 });
  });

  it("rejects where a message ends the consumer before the subscriber has answered", async () => {
    const broker = new MemoryBroker();
    broker.createQueue("q");
    await publishTexts(broker, ["a"]);
    const consuming = consume({
      subscriber: slowToAnswer(broker.subscriber()),
      source: "q",
      handler: () => {
        throw new Error("bad");
      },
      retry: { attempts: 1 },
    });
    await expect(consuming).rejects.toMatchObject({ code: "HANDLER_FAILED" });
    expect(broker.depth("q")).toMatchObject({ ready: 1, unsettled: 0 });
  });

  it("closes a subscription that ends the consumer from within `subscribe`", async () => {
    const steps: string[] = [];
    const consuming = consume({
      subscriber: {
        capabilities: new MemoryBroker().subscriber().capabilities,
        async subscribe(_source, _options, sink) {
          sink.failed(new Error("at once"));
          await settled();
          return {
            stop: async () => void steps.push("stop"),
            close: async () => void steps.push("close"),
          };
        },
      },
      source: "q",
      handler,
    });
    await expect(consuming).rejects.toMatchObject({ code: "SUBSCRIPTION_FAILED" });
    expect(steps).toEqual(["stop", "close"]);
  });

  it("rejects once, with what the subscriber says, where a message has failed before", async () => {
    const broker = new MemoryBroker();
    broker.createQueue("q");
    await publishTexts(broker, ["a"]);
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => void unhandled.push(error);
    process.on("unhandledRejection", note);
    const inner = slowToAnswer(broker.subscriber());
    const consuming = consume({
      subscriber: {
        capabilities: inner.capabilities,
        async subscribe(source, options, sink) {
          await (await inner.subscribe(source, options, sink)).close();
          throw new LabError("CONNECTION_LOST", "the broker has gone away");
        },
      },
      source: "q",
      handler: () => {
        throw new Error("bad");
      },
      retry: { attempts: 1 },
    });
    await expect(consuming).rejects.toMatchObject({ code: "CONNECTION_LOST" });
    await settled();
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
  });

  it("ends when the subscription fails for good", async () => {
    const broker = new MemoryBroker();
    broker.createQueue("q");
    const consumer = await consume({ subscriber: broker.subscriber(), source: "q", handler });
    broker.deleteQueue("q");
    await expect(consumer.closed).rejects.toMatchObject({ code: "SUBSCRIPTION_FAILED" });
    expect(consumer.stats().connection).toBe("closed");
  });
});

/** Its deliveries arrive before `subscribe` resolves, as the port allows. */
function slowToAnswer(subscriber: Subscriber): Subscriber {
  return {
    capabilities: subscriber.capabilities,
    async subscribe(source, options, sink) {
      const subscription = await subscriber.subscribe(source, options, sink);
      await settled(20);
      return subscription;
    },
  };
}
