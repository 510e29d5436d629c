import fc from "fast-check";
import mqttPacket, { type IPublishPacket } from "mqtt-packet";
import { expect, test } from "vitest";
import { propertiesOf } from "../src/outgoing.ts";
import { PublishEncoder } from "../src/publish-encoder.ts";

const text = fc.string({ unit: "grapheme", maxLength: 40 });

test("packets are what mqtt-packet would write, one behind the other", () => {
  const message = fc.record(
    {
      body: fc.uint8Array({ maxLength: 20_000 }),
      key: text,
      headers: fc.dictionary(
        text.filter((name) => name !== "__proto__" && name !== "key"),
        text,
      ),
    },
    { requiredKeys: ["body"] },
  );
  const batch = fc.array(
    fc.record({
      topic: text.filter((topic) => topic !== ""),
      message,
      id: fc.integer({ min: 1, max: 65_535 }),
    }),
    { maxLength: 8 },
  );
  const flags = fc.record({
    protocolVersion: fc.constantFrom(4 as const, 5 as const),
    qos: fc.constantFrom(0 as const, 1 as const),
    retain: fc.boolean(),
  });
  fc.assert(
    fc.property(flags, fc.array(batch, { maxLength: 3 }), (flags, batches) => {
      const encoder = new PublishEncoder(flags);
      const { protocolVersion, qos, retain } = flags;
      for (const batch of batches) {
        const expected = batch.map(({ topic, message, id }) => {
          const properties = propertiesOf(message);
          const packet: IPublishPacket = {
            cmd: "publish",
            topic,
            payload: Buffer.from(message.body),
            qos,
            retain,
            dup: false,
            messageId: id,
            ...(properties && { properties }),
          };
          return mqttPacket.generate(packet, { protocolVersion });
        });
        for (const { topic, message, id } of batch) encoder.add(topic, message, id);
        expect(encoder.take()).toEqual(Buffer.concat(expected));
      }
    }),
  );
});
