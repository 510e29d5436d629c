import { setTimeout as sleep } from "node:timers/promises";
import { kafkaSubscriber } from "@lab/kafka";
import { describe, expect, test } from "vitest";
import { eventually, Inbox } from "./support/inbox.ts";
import { useKafka, withKafka } from "./support/kafka.ts";
import { sockets } from "./support/sockets.ts";

const numbers = (count: number): string[] => Array.from({ length: count }, (_, i) => `${i}`);

describe.skipIf(!withKafka)("when Apache Kafka fails", () => {
  const kafka = useKafka();

  test("a broker that is away for longer than kafkajs tries is waited for", {
    timeout: 150_000,
  }, async () => {
    const topic = await kafka.topic();
    await kafka.produce(topic, numbers(10));
    const { inbox } = await kafka.subscribe(topic, {
      consumer: { sessionTimeout: 5_000, heartbeatInterval: 500 },
    });
    await inbox.received(10);
    await kafka.broker.kill?.();
    // The sessions end when kafkajs has given up; from then on the group is joined anew, again and again.
    await eventually(
      () => inbox.ended.length === 1,
      () => "kafkajs to give up",
      90_000,
    );
    await sleep(3_000);
    expect(inbox.failures).toEqual([]);
    expect(inbox.states.at(-1)).toMatchObject({
      state: "reconnecting",
      cause: { code: "CONNECTION_LOST" },
    });
    await kafka.broker.start?.();
    await eventually(
      () => inbox.deliveries.length === 20,
      () => `what was unsettled to come again, got ${inbox.deliveries.length}`,
      60_000,
    );
    expect(inbox.bodies).toEqual([...numbers(10), ...numbers(10)]);
    expect(inbox.states.at(-1)?.state).toBe("connected");
  });

  test("a topic that is deleted ends the subscription", { timeout: 90_000 }, async () => {
    const topic = await kafka.topic();
    await kafka.produce(topic, ["a"]);
    const { inbox } = await kafka.subscribe(topic);
    await inbox.received(1);
    await kafka.admin.deleteTopics({ topics: [topic] });
    await eventually(
      () => inbox.failures.length > 0,
      () => "a failure",
      60_000,
    );
    expect(inbox.failures).toEqual([
      expect.objectContaining({
        code: "SUBSCRIPTION_FAILED",
        cause: expect.objectContaining({ code: "SOURCE_MISSING" }),
      }),
    ]);
    expect(inbox.ended).toHaveLength(1);
  });

  test("a member closes in a few seconds when the broker does not answer", async () => {
    const topic = await kafka.topic();
    await kafka.produce(topic, ["a"]);
    const { inbox, subscription } = await kafka.subscribe(topic);
    await inbox.received(1);
    inbox.deliveries[0]?.settle("ack");
    const open = sockets();
    kafka.broker.pause();
    const begin = performance.now();
    await subscription.close();
    expect(performance.now() - begin).toBeLessThan(12_000); // kafkajs alone: 30 s.
    await eventually(
      () => sockets() < open,
      () => `its sockets to be closed; ${sockets()} of ${open} are there`,
      3_000,
    );
    kafka.broker.resume();
    expect(inbox.ended).toHaveLength(1);
    expect(inbox.states.at(-1)?.state).toBe("closed");
  });

  test("a subscribe that hangs is given up in time, or when it is aborted", async () => {
    const topic = await kafka.topic();
    kafka.broker.pause();
    const subscribe = (connectTimeout: number, signal?: AbortSignal) =>
      kafkaSubscriber({ kafka: kafka.client(), groupId: topic, connectTimeout }).subscribe(
        topic,
        { window: 1, ...(signal && { signal }) },
        new Inbox(),
      );
    await expect(subscribe(500)).rejects.toMatchObject({
      code: "BROKER_UNREACHABLE",
      message: expect.stringContaining("500 ms"),
    });
    const reason = new Error("enough");
    const controller = new AbortController();
    const aborted = subscribe(30_000, controller.signal);
    setTimeout(() => controller.abort(reason), 200);
    await expect(aborted).rejects.toBe(reason);
    kafka.broker.resume();
  });

  test("a cut connection does not end sessions, and is told", async () => {
    const topic = await kafka.topic();
    await kafka.produce(topic, numbers(5));
    const { inbox } = await kafka.subscribe(topic, { window: 100 });
    await inbox.received(5);
    await kafka.broker.cut();
    await eventually(
      () =>
        inbox.states.map(({ state }) => state).join() ===
        "connecting,connected,reconnecting,connected",
      () => inbox.states.map(({ state }) => state).join(),
    );
    await kafka.produce(topic, ["new"]);
    await inbox.received(6);
    expect(inbox.ended).toEqual([]);
    expect(inbox.bodies).toEqual([...numbers(5), "new"]);
  });
});
