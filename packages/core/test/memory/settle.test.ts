import { describe, expect, it } from "vitest";
import { MemoryBroker } from "../../src/memory/index.ts";
import { brokerWithQueue, numbers, publishTexts, subscribe } from "../support/memory.ts";
import { RecordingSink } from "../support/recording-sink.ts";
import { settled } from "../support/turns.ts";

describe("settling at the memory broker", () => {
  it("counts the first settle only", async () => {
    const broker = brokerWithQueue();
    await publishTexts(broker, ["a"]);
    const sink = new RecordingSink();
    const subscription = await subscribe(broker, sink);
    await sink.received(1);
    expect(sink.deliveries[0]?.settle("ack")).toBe("settled");
    expect(sink.deliveries[0]?.settle("nack")).toBe("repeated");
    await settled();
    expect(broker.depth("q")).toEqual({ ready: 0, unsettled: 0, delivered: 1 });
    await subscription.close();
  });

  it("delivers a nacked message again, before what was published after it", async () => {
    const broker = brokerWithQueue();
    await publishTexts(broker, numbers(5));
    const sink = new RecordingSink();
    const subscription = await subscribe(broker, sink, 3);
    await sink.received(3);
    sink.deliveries[2]?.settle("nack");
    sink.deliveries[0]?.settle("nack");
    await sink.received(5);
    expect(sink.texts).toEqual(["0", "1", "2", "0", "2"]);
    expect(sink.deliveries.map((delivery) => delivery.deliveryCount)).toEqual([1, 1, 1, 2, 2]);
    expect(sink.deliveries.map((delivery) => delivery.redelivered)).toEqual([
      false,
      false,
      false,
      true,
      true,
    ]);
    await subscription.close();
  });

  it("drops a rejected message where no dead-letter queue is configured", async () => {
    const broker = brokerWithQueue();
    await publishTexts(broker, ["bad", "good"]);
    const sink = new RecordingSink();
    const subscription = await subscribe(broker, sink, 1);
    await sink.received(1);
    sink.deliveries[0]?.settle("reject");
    await sink.received(2);
    sink.deliveries[1]?.settle("ack");
    expect(sink.texts).toEqual(["bad", "good"]);
    expect(broker.depth("q")).toMatchObject({ ready: 0, unsettled: 0 });
    await subscription.close();
  });

  it("moves rejected messages to the dead-letter queue", async () => {
    const broker = new MemoryBroker();
    broker.createQueue("dead");
    broker.createQueue("q", { deadLetterQueue: "dead" });
    await publishTexts(broker, numbers(3));
    const sink = new RecordingSink((delivery) => delivery.settle("reject"));
    const subscription = await subscribe(broker, sink);
    await sink.received(3);
    await subscription.close();
    expect(broker.depth("q")).toMatchObject({ ready: 0, unsettled: 0 });

    const dead = new RecordingSink();
    const deadLetters = await broker.subscriber().subscribe("dead", { window: 10 }, dead);
    await dead.received(3);
    expect(dead.texts).toEqual(numbers(3));
    expect(dead.deliveries[0]).toMatchObject({ redelivered: false, deliveryCount: 1 });
    await deadLetters.close();
  });

  it("dead-letters what came back after maxDeliveries", async () => {
    const broker = new MemoryBroker();
    broker.createQueue("dead");
    broker.createQueue("q", { deadLetterQueue: "dead", maxDeliveries: 3 });
    await publishTexts(broker, ["a"]);
    const sink = new RecordingSink((delivery) => delivery.settle("nack"));
    const subscription = await subscribe(broker, sink);
    await sink.received(3);
    await settled();
    expect(sink.deliveries).toHaveLength(3);
    expect(broker.depth("q")).toMatchObject({ ready: 0, unsettled: 0 });
    expect(broker.depth("dead")).toMatchObject({ ready: 1 });
    await subscription.close();
  });
});
