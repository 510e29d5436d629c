import { type LabError, PublishError } from "@lab/core";
import { describe, expect, test } from "vitest";
import {
  connectTo,
  eventually,
  publisherOf,
  quiet,
  started,
  subscribed,
} from "./support/solace.ts";

const message = (text: string) => ({ body: Buffer.from(text) });
const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => message(`m${index}`));

async function failure(publishing: Promise<void>): Promise<PublishError> {
  const error: unknown = await publishing.then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(PublishError);
  return error as PublishError;
}

const codes = ({ failures }: PublishError): [number, string][] =>
  failures.map(({ index, error }) => [index, (error as LabError).code]);

test("more than the client's window are published at once, and confirmed in order", async () => {
  const { broker } = await started();
  broker.createQueue("q");
  const publisher = publisherOf(broker, { window: 10 });
  await Promise.all([
    publisher.publish("q", numbered(500)),
    publisher.publish("q", [message("later")]),
    publisher.publish("q", []),
  ]);
  expect(broker.stats.published).toBe(501);
  const { inbox } = await subscribed(broker, "q", { window: 600 });
  await eventually("delivery", () => inbox.deliveries.length === 501);
  expect(inbox.bodies).toEqual([...numbered(500).map(({ body }) => `${body}`), "later"]);
});

test("no more are unconfirmed than the window", async () => {
  const { broker } = await started();
  broker.createQueue("q");
  let seen = 0;
  broker.faults.publish = () => {
    seen++;
    return "no answer";
  };
  const publisher = publisherOf(broker, { window: 7, confirmTimeout: 400 });
  const error = await failure(publisher.publish("q", numbered(50)));
  expect(seen).toBe(7);
  expect(error.failures).toHaveLength(50);
});

test("large bodies wait for the client's buffer, and arrive whole and in order", async () => {
  const { broker } = await started();
  broker.createQueue("q");
  const publisher = publisherOf(broker, {
    connect: connectTo(broker, { sendBufferMaxSize: 10_000 }),
  });
  const bodies = Array.from({ length: 40 }, (_, index) => Buffer.alloc(100_000, index));
  await publisher.publish(
    "q",
    bodies.map((body) => ({ body })),
  );
  const { inbox } = await subscribed(broker, "q", { window: 100 });
  await eventually("delivery", () => inbox.deliveries.length === 40);
  for (const [index, { message: arrived }] of inbox.deliveries.entries()) {
    expect(Buffer.compare(arrived.body, bodies[index] as Buffer)).toBe(0);
  }
});

describe("a message that is refused", () => {
  test("by the broker is named, with why; its neighbours are confirmed", async () => {
    const { broker } = await started();
    broker.createQueue("q");
    const refusals: Record<string, { code: number; text: string }> = {
      m1: { code: 403, text: "Publish ACL Denied" },
      m3: { code: 503, text: "Spool Over Quota" },
      m4: { code: 400, text: "Message Too Long" },
      m6: { code: 503, text: "Something New" },
    };
    broker.faults.publish = (_queue, body) =>
      Object.entries(refusals).find(([text]) => body.includes(text))?.[1];
    const error = await failure(publisherOf(broker).publish("q", numbered(8)));
    expect(codes(error)).toEqual([
      [1, "ACCESS_REFUSED"],
      [3, "PUBLISH_FAILED"],
      [4, "PUBLISH_FAILED"],
      [6, "PUBLISH_FAILED"],
    ]);
    for (const [index, { text }] of Object.values(refusals).entries()) {
      expect(error.failures[index]?.error.message).toContain(text);
    }
    expect(broker.depth("q").ready).toBe(4);
  });

  test("for want of its queue says so", async () => {
    const { broker } = await started();
    const error = await failure(publisherOf(broker).publish("missing", numbered(2)));
    expect(codes(error)).toEqual([
      [0, "SOURCE_MISSING"],
      [1, "SOURCE_MISSING"],
    ]);
  });

  test("as no queue subscribes to its topic says so, where the broker does", async () => {
    const { broker } = await started({ rejectUnmatched: true });
    const publisher = publisherOf(broker, { destination: "topic" });
    const error = await failure(publisher.publish("nobody/listens", numbered(1)));
    expect(codes(error)).toEqual([[0, "SOURCE_MISSING"]]);
  });

  test.for([
    [{ body: Buffer.from("x"), key: "k".repeat(256) }, /key has more than 255 bytes/],
    [{ body: Buffer.from("x"), key: "ä".repeat(128) }, /key has more than 255 bytes/],
    [{ body: Buffer.from("x"), headers: { JMSXGroupID: "k" } }, /Give it as `key`/],
    [{ body: Buffer.from("x"), headers: { count: 1 as unknown as string } }, /header "count"/],
    [{ body: "text" as unknown as Buffer }, /`body` to be a Uint8Array/],
    [undefined as unknown as { body: Buffer }, /a message with a `body`/],
  ] as const)("before it is sent is named: %o", async ([bad, why]) => {
    const { broker } = await started();
    broker.createQueue("q");
    const error = await failure(
      publisherOf(broker).publish("q", [message("a"), bad, message("b")]),
    );
    expect(codes(error)).toEqual([[1, "UNSUPPORTED_MESSAGE"]]);
    expect(error.failures[0]?.error.message).toMatch(why);
    expect(broker.depth("q").ready).toBe(2);
  });

  test.for([
    ["queue", "a//b"],
    ["queue", ""],
    ["queue", "q".repeat(201)],
    ["topic", ""],
    ["topic", "a//b"],
  ] as const)(
    "for its destination fails with the whole batch: %s %s",
    async ([destination, name]) => {
      const { broker } = await started();
      const error = await failure(publisherOf(broker, { destination }).publish(name, numbered(2)));
      expect(codes(error)).toEqual([
        [0, "INVALID_OPTION"],
        [1, "INVALID_OPTION"],
      ]);
    },
  );
});

describe("a connection that is lost", () => {
  test("while messages are in flight: they are sent again, and arrive once", async () => {
    const { broker } = await started();
    broker.createQueue("q");
    const publisher = publisherOf(broker);
    await publisher.publish("q", [message("first")]);
    broker.faults.delay = 60_000; // Taken, and not confirmed.
    const publishing = publisher.publish("q", numbered(100));
    await eventually("arrival", () => broker.depth("q").ready === 101);
    broker.faults.delay = 0;
    broker.cut();
    await publishing;
    expect(broker.depth("q").ready).toBe(101);
  });

  test("for a while: what is published meanwhile waits, and is confirmed in order", async () => {
    const { broker } = await started();
    broker.createQueue("q");
    const publisher = publisherOf(broker);
    await publisher.publish("q", [message("first")]);
    await broker.stop();
    const publishing = publisher.publish("q", numbered(300));
    await quiet();
    await broker.start();
    await publishing;
    const { inbox } = await subscribed(broker, "q", { window: 400 });
    await eventually("delivery", () => inbox.deliveries.length === 301);
    expect(inbox.bodies).toEqual(["first", ...numbered(300).map(({ body }) => `${body}`)]);
  });

  test("for longer than the time to confirm: what is unconfirmed has failed, with why, and is not sent any more", async () => {
    const { broker } = await started();
    broker.createQueue("q");
    const publisher = publisherOf(broker, { confirmTimeout: 300 });
    await publisher.publish("q", [message("first")]);
    await broker.stop();
    const error = await failure(publisher.publish("q", numbered(3)));
    expect(codes(error).map(([, code]) => code)).toEqual(Array(3).fill("CONNECTION_LOST"));
    expect(error.failures[0]?.error.message).toContain("ECONNREFUSED");
    await broker.start();
    await publisher.publish("q", [message("next")]);
    await quiet();
    expect(broker.depth("q").ready).toBe(2);
  });

  test("with a publisher that the broker has forgotten: its messages are published again", async () => {
    const { broker } = await started();
    broker.createQueue("q");
    const publisher = publisherOf(broker);
    await publisher.publish("q", [message("first")]);
    broker.faults.publish = () => "no answer";
    const publishing = publisher.publish("q", [message("second")]);
    await quiet();
    broker.faults.publish = undefined;
    broker.forgetPublishers();
    broker.cut();
    await publishing;
    expect(broker.depth("q").ready).toBe(2);
  });

  test("and a login that is refused from then on fails what waits; the next publish tries anew", async () => {
    const { broker } = await started();
    broker.createQueue("q");
    const publisher = publisherOf(broker);
    await publisher.publish("q", [message("first")]);
    broker.faults.login = () => ({ code: 401, text: "Unauthorized" });
    broker.cut();
    const error = await failure(publisher.publish("q", numbered(2)));
    expect(codes(error).map(([, code]) => code)).toEqual(["ACCESS_REFUSED", "ACCESS_REFUSED"]);
    broker.faults.login = undefined;
    await publisher.publish("q", [message("next")]);
  });
});

test("a publisher that the broker closes fails what is in flight; the next publish makes a new one", async () => {
  const { broker } = await started();
  broker.createQueue("q");
  const publisher = publisherOf(broker);
  await publisher.publish("q", [message("first")]);
  broker.faults.publish = () => "no answer";
  const publishing = failure(publisher.publish("q", numbered(2)));
  await quiet();
  broker.faults.publish = undefined;
  broker.closePublishers();
  expect(codes(await publishing).map(([, code]) => code)).toEqual([
    "CONNECTION_LOST",
    "CONNECTION_LOST",
  ]);
  await publisher.publish("q", [message("next")]);
  expect(broker.depth("q").ready).toBe(2);
});

test("a broker that does not let it in fails the publish at once", async () => {
  const { broker } = await started();
  broker.faults.login = () => ({ code: 401, text: "Unauthorized" });
  const error = await failure(publisherOf(broker).publish("q", numbered(2)));
  expect(codes(error).map(([, code]) => code)).toEqual(["ACCESS_REFUSED", "ACCESS_REFUSED"]);
});

test("messages may go to the dead message queue unless told otherwise", async () => {
  const { broker } = await started();
  broker.createQueue("#DEAD_MSG_QUEUE");
  broker.createQueue("q");
  await publisherOf(broker).publish("q", [message("may")]);
  await publisherOf(broker, { deadMessageQueueEligible: false }).publish("q", [message("may not")]);
  const { inbox } = await subscribed(broker, "q");
  await eventually("delivery", () => inbox.deliveries.length === 2);
  inbox.settleAll("reject");
  await eventually("both gone", () => broker.depth("q").unacknowledged === 0);
  expect(broker.depth("#DEAD_MSG_QUEUE").ready).toBe(1);
});

describe("closing", () => {
  test("waits for what is in flight", async () => {
    const { broker } = await started();
    broker.createQueue("q");
    broker.faults.delay = 20;
    const publisher = publisherOf(broker);
    const publishing = publisher.publish("q", numbered(600));
    await publisher.close();
    await publishing;
    expect(broker.depth("q").ready).toBe(600);
    const error = await failure(publisher.publish("q", numbered(1)));
    expect(error.failures[0]?.error.message).toContain("closed");
  });

  test("gives up on a broker that does not answer", async () => {
    const { broker } = await started();
    broker.createQueue("q");
    broker.faults.publish = () => "no answer";
    const publisher = publisherOf(broker);
    const publishing = failure(publisher.publish("q", numbered(3)));
    await publisher.close();
    expect(codes(await publishing).map(([, code]) => code)).toEqual(
      Array(3).fill("CONNECTION_LOST"),
    );
  });

  test("of a publisher that was never used is nothing", async () => {
    const { broker, log } = await started();
    await publisherOf(broker).close();
    expect(log).toEqual([]);
  });
});
