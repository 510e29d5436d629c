import { describe, expect, test } from "vitest";
import { useKafka, withKafka } from "./support/kafka.ts";

describe.skipIf(!withKafka)("an Apache Kafka with TLS and passwords", () => {
  const kafka = useKafka({ tls: true, credentials: { username: "rig", password: "s3cret-word" } });

  test("is written to and read from", async () => {
    const topic = await kafka.topic(2);
    await kafka.publisher().publish(topic, [
      { key: "k", body: Buffer.from("a") },
      { key: "k", body: Buffer.from("b") },
    ]);
    const { inbox, subscription } = await kafka.subscribe(topic);
    await inbox.received(2);
    expect(inbox.bodies).toEqual(["a", "b"]);
    for (const delivery of inbox.deliveries) delivery.settle("ack");
    await subscription.close();
    expect((await kafka.committed(topic)).sort()).toEqual([-1, 2]);
  });

  test("whose certificate nobody vouches for is refused with the reason, not tried in the clear", async () => {
    const client = kafka.client({ ssl: true, retry: { retries: 0 } });
    const refusal = { code: "BROKER_UNREACHABLE", message: /certificate/ };
    await expect(kafka.subscribe("any", { kafka: client })).rejects.toMatchObject(refusal);
    const publishing = kafka
      .publisher({ kafka: client })
      .publish("any", [{ body: Buffer.from("x") }]);
    await expect(publishing).rejects.toMatchObject({ failures: [{ error: refusal }] });
  });
});
