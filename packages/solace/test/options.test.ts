import { LabError } from "@lab/core";
import {
  type SolacePublisherOptions,
  type SolaceSubscriberOptions,
  solacePublisher,
  solaceSubscriber,
} from "@lab/solace";
import { expect, test } from "vitest";
import { Inbox } from "./support/inbox.ts";
import { solace, started, subscriberOf } from "./support/solace.ts";

const connect = () => {
  throw new Error("not to be called");
};
const minimal = { solace, connect };

function refusedWith(make: () => unknown): LabError {
  try {
    make();
  } catch (error) {
    expect(error).toBeInstanceOf(LabError);
    expect(error).toMatchObject({ code: "INVALID_OPTION" });
    return error as LabError;
  }
  throw new Error("it was not refused");
}

test.for<[Record<string, unknown>, string]>([
  [{ solace: undefined }, "`solace` to be the module solclientjs, got undefined"],
  [{ solace: {} }, "`solace` to be the module solclientjs"],
  [{ connect: {} }, "`connect` to be a function that makes a session"],
  [{ connectTimeout: 0 }, "`connectTimeout`"],
  [{ connectTimeout: Number.NaN }, "`connectTimeout`"],
  [{ connectTimeout: 2 ** 31 }, "`connectTimeout`"],
  [{ backoff: { base: 0 } }, "`backoff.base`"],
  [{ backoff: { cap: -1 } }, "`backoff.cap`"],
  [{ backoff: { base: 200, cap: 100 } }, "`backoff.cap`"],
  [{ nacks: "yes" }, "`nacks` to be true or false"],
  [{ deliveryCount: 1 }, "`deliveryCount` to be true or false"],
  [{ partitioned: 8 }, "`partitioned` to be true or false"],
  [{ readAhead: 0 }, "`readAhead` to be an integer from 1 to 255"],
  [{ readAhead: 256 }, "`readAhead` to be an integer from 1 to 255"],
  [{ ackInterval: 19 }, "`ackInterval` to be an integer from 20 to 1500"],
  [{ ackInterval: 1_501 }, "`ackInterval` to be an integer from 20 to 1500"],
  [{ topic: "" }, "`topic` to be a topic"],
  [{ topic: "a//b" }, "`topic` to be a topic"],
  [{ provision: { topics: ["a//b"] } }, "`provision.topics` to be a topic"],
  [{ topic: "a", provision: { topics: ["b"] } }, "`provision.topics` to be left out"],
])("a subscriber refuses %o", ([wrong, message]) => {
  const error = refusedWith(() =>
    solaceSubscriber({ ...minimal, ...wrong } as SolaceSubscriberOptions),
  );
  expect(error.message).toContain(message);
});

test.for<[Record<string, unknown>, string]>([
  [{ destination: "exchange" }, '`destination` to be "topic" or "queue"'],
  [{ window: 0 }, "`window` to be an integer from 1 to 255"],
  [{ window: 256 }, "`window` to be an integer from 1 to 255"],
  [{ confirmTimeout: 0 }, "`confirmTimeout`"],
  [{ deadMessageQueueEligible: 1 }, "`deadMessageQueueEligible`"],
  [{ connect: undefined }, "`connect`"],
])("a publisher refuses %o", ([wrong, message]) => {
  const error = refusedWith(() =>
    solacePublisher({ ...minimal, ...wrong } as SolacePublisherOptions),
  );
  expect(error.message).toContain(message);
});

test.for([
  ["", 1, "`source`"],
  ["a//b", 1, "`source`"],
  ["/a", 1, "`source`"],
  ["a*", 1, "`source`"],
  ["q".repeat(201), 1, "`source`"],
  ["q", 0, "`window`"],
  ["q", 1.5, "`window`"],
] as const)(
  "subscribe refuses the source %s and the window %s",
  async ([source, window, named]) => {
    const { broker, log } = await started();
    const subscribing = subscriberOf(broker).subscribe(source, { window }, new Inbox());
    await expect(subscribing).rejects.toMatchObject({ code: "INVALID_OPTION" });
    await expect(subscribing).rejects.toThrow(named);
    expect(log).toEqual([]);
  },
);

test("capabilities are as the options say", () => {
  expect(solaceSubscriber(minimal).capabilities).toEqual({
    settles: "individually",
    nack: true,
    reject: true,
    deliveryCount: false,
    partitions: "none",
    resumes: true,
  });
  const other = { ...minimal, nacks: false, deliveryCount: true, partitioned: true };
  expect(solaceSubscriber(other).capabilities).toMatchObject({
    nack: false,
    reject: false,
    deliveryCount: true,
    partitions: "key",
  });
  expect(solacePublisher(minimal).capabilities).toEqual({ headers: true, keys: true });
});
