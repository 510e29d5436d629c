import { describe, expect, it } from "vitest";
import { type OutgoingMessage, PublishError } from "../../src/index.ts";
import { MemoryBroker } from "../../src/memory/index.ts";
import { brokerWithQueue, publishTexts } from "../support/memory.ts";

const good: OutgoingMessage = { body: Buffer.from("good") };

async function failure(publishing: Promise<void>): Promise<PublishError> {
  const error: unknown = await publishing.then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(PublishError);
  return error as PublishError;
}

describe("publishing to the memory broker", () => {
  it("fails every message where the queue is missing", async () => {
    const error = await failure(brokerWithQueue().publisher().publish("none", [good, good]));
    expect(error.failures.map(({ index }) => index)).toEqual([0, 1]);
    expect(error.message).toMatch(/^2 of 2 messages for "none" .*createQueue\("none"\)\. Publish/);
    expect(error.failures[0]?.error).toMatchObject({ code: "SOURCE_MISSING" });
  });

  it("refuses what is no array", async () => {
    const publisher = brokerWithQueue().publisher();
    for (const none of [undefined, "text", good]) {
      await expect(publisher.publish("q", none as never)).rejects.toMatchObject({
        code: "INVALID_OPTION",
        message: expect.stringContaining("`messages` to be an array of messages"),
      });
    }
  });

  it("names the messages that fail and stores the others", async () => {
    const broker = new MemoryBroker({ maxBodyBytes: 10 });
    broker.createQueue("q");
    const bad = [
      { body: new Uint8Array(11) },
      { body: "text" },
      { body: new Uint8Array(), headers: { n: 1 } },
      { body: new Uint8Array(), key: 1 },
    ] as unknown as OutgoingMessage[];
    const error = await failure(broker.publisher().publish("q", [good, ...bad, good]));
    expect(error.failures.map(({ index }) => index)).toEqual([1, 2, 3, 4]);
    expect(error.failures.map(({ error: cause }) => cause)).toMatchObject([
      { code: "PUBLISH_FAILED" },
      { code: "UNSUPPORTED_MESSAGE" },
      { code: "UNSUPPORTED_MESSAGE" },
      { code: "UNSUPPORTED_MESSAGE" },
    ]);
    expect(broker.depth("q").ready).toBe(2);
  });

  it("fails what was not confirmed when the connection was cut, and works again afterwards", async () => {
    const broker = brokerWithQueue();
    const publisher = broker.publisher();
    const publishing = publisher.publish("q", [good]);
    broker.cut();
    const error = await failure(publishing);
    expect(error.failures[0]?.error).toMatchObject({ code: "CONNECTION_LOST" });
    await publisher.publish("q", [good]);
    await publisher.close();
  });

  it("fails at once while the broker is down", async () => {
    const broker = brokerWithQueue();
    const publisher = broker.publisher();
    broker.stop();
    const error = await failure(publisher.publish("q", [good]));
    expect(error.failures[0]?.error).toMatchObject({ code: "BROKER_UNREACHABLE" });
    broker.start();
    await publisher.publish("q", [good]);
  });

  it("confirms what is in flight on close, and refuses what comes later", async () => {
    const broker = brokerWithQueue();
    const publisher = broker.publisher();
    let confirmed = false;
    const publishing = publisher.publish("q", [good]).then(() => {
      confirmed = true;
    });
    await publisher.close();
    expect(confirmed).toBe(true);
    await publishing;
    await publisher.close();
    const error = await failure(publisher.publish("q", [good]));
    expect(error.failures).toHaveLength(1);
  });

  it("takes an empty batch, and a large one", async () => {
    const broker = brokerWithQueue();
    await broker.publisher().publish("q", []);
    await publishTexts(
      broker,
      Array.from({ length: 200_000 }, () => "x"),
    );
    expect(broker.depth("q").ready).toBe(200_000);
    const error = await failure(
      broker.publisher().publish(
        "none",
        Array.from({ length: 200_000 }, () => good),
      ),
    );
    expect(error.failures).toHaveLength(200_000);
  });
});
