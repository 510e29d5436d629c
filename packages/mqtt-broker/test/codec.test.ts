import { PassThrough } from "node:stream";
import fc from "fast-check";
import mqttPacket, { type IPublishPacket } from "mqtt-packet";
import { describe, expect, test } from "vitest";
import { decodeProperties, encodeProperties } from "../src/codec/publish-properties.ts";
import { ClientLine } from "../src/line.ts";
import { Message } from "../src/message.ts";
import { Topic } from "../src/topics.ts";
import type { MessageProperties } from "../src/types.ts";
import { Output, Wire } from "../src/wire.ts";

const text = (maxLength: number) =>
  fc.string({ unit: "grapheme", maxLength }).filter((value) => !value.includes("\0"));
const bytes = fc.uint8Array({ maxLength: 300 }).map((value) => Buffer.from(value));
const topic = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 60 })
  .filter((value) => !/[+#\0]/.test(value));

const properties: fc.Arbitrary<MessageProperties> = fc.record(
  {
    payloadFormatIndicator: fc.boolean(),
    contentType: text(20),
    responseTopic: topic,
    correlationData: bytes,
    // mqtt-packet keeps no property of an empty name apart from its neighbours, nor empty values.
    userProperties: fc.dictionary(
      text(8).filter((name) => name !== "" && name !== "__proto__"),
      fc.oneof(
        text(20).filter((value) => value !== ""),
        fc.array(
          text(5).filter((value) => value !== ""),
          { minLength: 2, maxLength: 3 },
        ),
      ),
      { minKeys: 1, maxKeys: 4 },
    ),
  },
  { requiredKeys: [] },
);

const qos = fc.constantFrom(0 as const, 1 as const, 2 as const);

/** What `ClientLine` writes, in one buffer. */
async function written(
  version: 4 | 5,
  write: (line: ClientLine) => void,
  topicAliasMaximum = 0,
): Promise<Buffer> {
  const stream = new PassThrough({ highWaterMark: 2 ** 24 });
  const wire = new Wire(stream, new Output(), 2 ** 20, { crowded: () => {}, drained: () => {} });
  const maximumPacketSize = Number.POSITIVE_INFINITY;
  write(new ClientLine(wire, { version, window: 10, maximumPacketSize, topicAliasMaximum }));
  wire.flush();
  const chunks: Buffer[] = [];
  for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function parse(packets: Buffer, protocolVersion: 4 | 5): IPublishPacket[] {
  const parser = mqttPacket.parser({ protocolVersion });
  const found: IPublishPacket[] = [];
  parser.on("packet", (packet) => found.push(packet as IPublishPacket));
  parser.on("error", (error) => {
    throw error;
  });
  parser.parse(packets);
  return found;
}

describe("PUBLISH is written as mqtt-packet writes it", () => {
  test("byte for byte, for every topic, payload, flag and property", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          version: fc.constantFrom(4 as const, 5 as const),
          name: topic,
          payload: bytes,
          qos,
          retain: fc.boolean(),
          dup: fc.boolean(),
          packetId: fc.integer({ min: 1, max: 65_535 }),
          properties,
        }),
        async ({ version, name, payload, qos, retain, dup, packetId, properties }) => {
          const encoded = encodeProperties(properties);
          const message = new Message(
            new Topic(name),
            payload,
            qos,
            retain,
            encoded,
            Number.POSITIVE_INFINITY,
            false,
          );
          const ours = await written(version, (line) => {
            line.publish(message, qos, retain, undefined, packetId, dup);
          });
          const packet: IPublishPacket = {
            cmd: "publish",
            topic: name,
            payload,
            qos,
            retain,
            dup,
            ...(qos > 0 && { messageId: packetId }),
            properties: properties as NonNullable<IPublishPacket["properties"]>,
          };
          expect(ours).toEqual(mqttPacket.generate(packet, { protocolVersion: version }));
        },
      ),
    );
  });

  test("expiry, alias and subscription identifiers are what mqtt-packet reads", async () => {
    await fc.assert(
      fc.asyncProperty(
        topic,
        bytes,
        properties,
        fc.array(fc.integer({ min: 1, max: 268_435_455 }), { minLength: 1, maxLength: 3 }),
        async (name, payload, properties, identifiers) => {
          const message = new Message(
            new Topic(name),
            payload,
            1,
            false,
            encodeProperties(properties),
            Date.now() + 1_000_000_000,
            false,
          );
          const twice = await written(
            5,
            (line) => {
              line.publish(message, 1, false, identifiers, 7, false);
              line.publish(message, 1, false, identifiers, 8, true);
            },
            1,
          );
          const [first, second] = parse(twice, 5);
          expect(first).toMatchObject({ topic: name, messageId: 7, dup: false, payload });
          expect(second).toMatchObject({ topic: "", messageId: 8, dup: true, payload });
          for (const packet of [first, second]) {
            const { messageExpiryInterval, topicAlias, subscriptionIdentifier, ...rest } =
              packet?.properties ?? {};
            expect(messageExpiryInterval).toBeLessThanOrEqual(1_000_000);
            expect(messageExpiryInterval).toBeGreaterThan(999_000);
            expect(topicAlias).toBe(1);
            expect([subscriptionIdentifier].flat()).toEqual(identifiers);
            expect(plain(rest)).toEqual(plain(properties));
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  test("properties are decoded to what was encoded", () => {
    fc.assert(
      fc.property(properties, (properties) => {
        const encoded = encodeProperties(properties);
        expect(plain(encoded ? decodeProperties(encoded) : {})).toEqual(plain(properties));
      }),
    );
  });
});

/** Without prototypes and kinds of byte arrays. */
function plain(properties: object): unknown {
  return JSON.parse(
    JSON.stringify(properties, (_key, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value,
    ).replaceAll(/\{"type":"Buffer","data":\[([\d,]*)\]\}/g, (_, data: string) =>
      JSON.stringify(Buffer.from(data === "" ? [] : data.split(",").map(Number)).toString("hex")),
    ),
  );
}

test("acknowledgements are written as mqtt-packet writes them", async () => {
  const reasons = {
    puback: [0, 0x10, 0x87],
    pubrec: [0, 0x97],
    pubrel: [0, 0x92],
    pubcomp: [0, 0x92],
  };
  for (const version of [4, 5] as const) {
    for (const [cmd, codes] of Object.entries(reasons)) {
      for (const reasonCode of codes) {
        const name = cmd as keyof typeof reasons;
        const ours = await written(version, (line) => line[name](0x1234, reasonCode));
        const packet = { cmd: name, messageId: 0x1234, reasonCode };
        expect(ours).toEqual(mqttPacket.generate(packet, { protocolVersion: version }));
      }
    }
  }
});
