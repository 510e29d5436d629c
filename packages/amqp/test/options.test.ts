import {
  type AmqpPublisherOptions,
  type AmqpSubscriberOptions,
  amqpPublisher,
  amqpSubscriber,
} from "@lab/amqp";
import { Inbox } from "@lab/testbed/testing";
import { describe, expect, test } from "vitest";

const connect = () => expect.unreachable("no connection is to be made");

describe("options that cannot work are refused, with what to do", () => {
  const refusal = (name: string) =>
    expect.objectContaining({ code: "INVALID_OPTION", message: expect.stringContaining(name) });

  test.for([
    ["connect", undefined],
    ["connect", []],
    ["connect", [connect, "amqp://localhost"]],
    ["queueType", "stream"],
    ["ack", "none"],
    ["declare", true],
    ["consumerTimeout", 0],
    ["takeBackTimeout", -1],
    ["connectTimeout", Number.NaN],
    ["connectTimeout", 2 ** 31],
    ["backoff.base", { base: 0 }],
    ["backoff.cap", { cap: -1 }],
    ["backoff.cap", { base: 100, cap: 50 }],
  ] as const)("subscriber: %s %s", ([name, value]) => {
    const [option = ""] = name.split(".");
    const options = { connect, [option]: value } as unknown as AmqpSubscriberOptions;
    expect(() => amqpSubscriber(options)).toThrow(refusal(name));
  });

  test.for([
    ["exchange", 1],
    ["exchange", "x".repeat(256)],
    ["mandatory", "yes"],
    ["persistent", 2],
    ["window", 0],
    ["window", 1.5],
    ["confirmTimeout", -1],
  ] as const)("publisher: %s %s", ([name, value]) => {
    const options = { connect, [name]: value } as unknown as AmqpPublisherOptions;
    expect(() => amqpPublisher(options)).toThrow(refusal(name));
  });

  test.for([0, -1, 1.5, Number.NaN, "8"])("window %s", async (window) => {
    const subscribed = amqpSubscriber({ connect }).subscribe(
      "q",
      { window: window as number },
      new Inbox(),
    );
    await expect(subscribed).rejects.toThrow(refusal("window"));
  });

  test.for(["", "q".repeat(256), 7])("source %j", async (source) => {
    const subscribed = amqpSubscriber({ connect }).subscribe(
      source as string,
      { window: 1 },
      new Inbox(),
    );
    await expect(subscribed).rejects.toThrow(refusal("source"));
  });

  test.for(["", "q".repeat(256), undefined])("destination %j", async (destination) => {
    const publishing = amqpPublisher({ connect }).publish(destination as string, [
      { body: Buffer.from("x") },
    ]);
    await expect(publishing).rejects.toMatchObject({
      failures: [{ index: 0, error: refusal("destination") }],
    });
  });

  test("messages that are no array", async () => {
    const publishing = amqpPublisher({ connect }).publish("q", {} as unknown as []);
    await expect(publishing).rejects.toThrow(refusal("messages"));
  });

  test("a signal that has aborted already", async () => {
    const signal = AbortSignal.abort(new Error("too late"));
    const subscribed = amqpSubscriber({ connect }).subscribe(
      "q",
      { window: 1, signal },
      new Inbox(),
    );
    await expect(subscribed).rejects.toThrow("too late");
  });
});

test("capabilities", () => {
  expect(amqpSubscriber({ connect }).capabilities).toEqual({
    settles: "individually",
    nack: true,
    reject: true,
    deliveryCount: false,
    partitions: "none",
    resumes: false,
  });
  expect(amqpSubscriber({ connect, queueType: "quorum" }).capabilities.deliveryCount).toBe(true);
  expect(amqpPublisher({ connect }).capabilities).toEqual({ headers: true, keys: true });
});
