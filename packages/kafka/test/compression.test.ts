import kafkajs from "kafkajs";
import { afterEach, describe, expect, test } from "vitest";
import { eventually } from "./support/inbox.ts";
import { useKafka, withKafka } from "./support/kafka.ts";
import { snappy } from "./support/snappy.ts";

const { CompressionCodecs, CompressionTypes } = kafkajs;
const notThere = CompressionCodecs[CompressionTypes.Snappy];

const numbers = Array.from({ length: 50 }, (_, i) => `${i}`);

describe.skipIf(!withKafka)("compressed batches on Apache Kafka", () => {
  const kafka = useKafka();
  afterEach(() => {
    CompressionCodecs[CompressionTypes.Snappy] = notThere;
  });

  test("gzip works as it is, both ways", async () => {
    const topic = await kafka.topic();
    const publisher = kafka.publisher({ compression: CompressionTypes.GZIP });
    await publisher.publish(
      topic,
      numbers.map((text) => ({ body: Buffer.from(text) })),
    );
    const { inbox } = await kafka.subscribe(topic, { window: 100 });
    await inbox.received(50);
    expect(inbox.bodies).toEqual(numbers);
  });

  test("other codecs work once they are registered with kafkajs", async () => {
    CompressionCodecs[CompressionTypes.Snappy] = () => snappy;
    const topic = await kafka.topic();
    await kafka.produce(topic, numbers, CompressionTypes.Snappy);
    const { inbox } = await kafka.subscribe(topic, { window: 100 });
    await inbox.received(50);
    expect(inbox.bodies).toEqual(numbers);
  });

  test("a codec that is not there ends the subscription with what to do, and is not tried for ever", async () => {
    const topic = await kafka.topic();
    await kafka.produce(topic, ["readable"]);
    CompressionCodecs[CompressionTypes.Snappy] = () => snappy;
    await kafka.produce(topic, numbers, CompressionTypes.Snappy);
    CompressionCodecs[CompressionTypes.Snappy] = notThere;
    const { inbox } = await kafka.subscribe(topic);
    await eventually(
      () => inbox.failures.length > 0,
      () => "a failure",
    );
    expect(inbox.failures).toEqual([
      expect.objectContaining({
        code: "SUBSCRIPTION_FAILED",
        message: expect.stringMatching(/Snappy.*CompressionCodecs/s),
      }),
    ]);
    expect(inbox.states.at(-1)?.state).toBe("closed");
    expect(inbox.ended).toHaveLength(new Set(inbox.ended).size);

    // Nothing is lost by it.
    CompressionCodecs[CompressionTypes.Snappy] = () => snappy;
    const again = await kafka.subscribe(topic, { window: 100 });
    await again.inbox.received(51);
    expect(again.inbox.bodies).toEqual(["readable", ...numbers]);
  });

  test("a publisher says which codec it misses", async () => {
    const topic = await kafka.topic();
    const publisher = kafka.publisher({ compression: CompressionTypes.Snappy });
    await expect(publisher.publish(topic, [{ body: Buffer.from("x") }])).rejects.toMatchObject({
      failures: [{ index: 0, error: { code: "INVALID_OPTION", message: /Snappy.*codec/ } }],
    });
  });
});
