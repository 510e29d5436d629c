import type { RunningBroker } from "@lab/testbed";
import { eventually } from "@lab/testbed/testing";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { publish, queueAt, subscribe, texts } from "./support/clients.ts";
import { rabbitMq, withRabbitMq } from "./support/rabbitmq.ts";

describe.skipIf(!withRabbitMq)("the broker's consumer timeout", () => {
  let broker: RunningBroker;
  beforeAll(async () => {
    broker = await rabbitMq();
    // Looked at once a minute unless it is told to be quicker.
    await broker.admin?.(
      "eval",
      "application:set_env(rabbit, consumer_timeout, 2000), application:set_env(rabbit, channel_tick_interval, 200).",
    );
  });
  afterAll(() => broker.stop());

  const warnings = () => {
    const given: Error[] = [];
    const onWarning = (warning: Error): void => {
      if ("code" in warning && warning.code === "LAB_AMQP_CONSUMER_TIMEOUT") given.push(warning);
    };
    process.on("warning", onWarning);
    onTestFinished(() => void process.off("warning", onWarning));
    return given;
  };

  test("is warned of before it strikes, once; when it strikes, what is in hand comes again", async () => {
    const { url } = broker;
    const given = warnings();
    const queue = await queueAt(url);
    await publish(url, queue, texts(2));
    const { inbox } = await subscribe({ url, queue, consumerTimeout: 2_000 });
    await inbox.received(2);
    inbox.deliveries[1]?.settle("ack"); // The other one waits in a lane.
    await eventually("a warning", () => given.length > 0);
    expect(inbox.ended, "the warning has to come first").toEqual([]);
    expect(given[0]?.message).toContain(queue);
    expect(given[0]?.message).toContain("window × mean handler time ÷ lanes");
    await inbox.received(3);
    expect(inbox.bodies).toEqual(["0", "1", "0"]);
    expect(inbox.states[2]).toMatchObject({
      state: "reconnecting",
      cause: { message: expect.stringContaining("`consumer_timeout`") },
    });
    await inbox.received(4);
    expect(given).toHaveLength(1);
  });

  test("is not warned of while messages are settled in time", async () => {
    const { url } = broker;
    const given = warnings();
    const queue = await queueAt(url);
    const { inbox } = await subscribe({ url, queue, consumerTimeout: 2_000 });
    inbox.onDelivery = (delivery) => void setTimeout(() => delivery.settle("ack"), 100);
    for (let i = 0; i < 15; i++) {
      await publish(url, queue, texts(1, i));
      await inbox.received(i + 1);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(given).toEqual([]);
    expect(inbox.ended).toEqual([]);
  });
});
