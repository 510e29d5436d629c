import { type OutgoingMessage, PublishError } from "@lab/core";
import type { SolaceMessage } from "@lab/solace";
import fc from "fast-check";
import { expect, test } from "vitest";
import { eventually, publish, publisherOf, solace, started, subscribed } from "./support/solace.ts";

/** What arrives of a message that the client sends as it is told. */
async function arrived(make: (message: solace.Message) => void): Promise<SolaceMessage> {
  const { broker } = await started();
  broker.createQueue("q");
  const session = solace.SolclientFactory.createSession({
    url: broker.url,
    vpnName: "default",
    userName: "user",
    password: "password",
    publisherProperties: { enabled: true },
  });
  await new Promise<void>((resolve) => {
    session.on(solace.SessionEventCode.UP_NOTICE, () => resolve());
    session.connect();
  });
  const message = solace.SolclientFactory.createMessage();
  message.setDestination(solace.SolclientFactory.createDurableQueueDestination("q"));
  message.setDeliveryMode(solace.MessageDeliveryModeType.PERSISTENT);
  make(message);
  session.send(message);
  await eventually("arrival", () => broker.depth("q").ready === 1);
  session.dispose();
  const { inbox } = await subscribed(broker, "q");
  await eventually("delivery", () => inbox.deliveries.length === 1);
  return inbox.deliveries[0]?.message as SolaceMessage;
}

const text = ({ body }: SolaceMessage): string => Buffer.from(body).toString();

test("body, key, destination and headers arrive as they were published", async () => {
  const { broker } = await started();
  broker.createQueue("q");
  const { inbox } = await subscribed(broker, "q");
  const headers = { kind: "order", empty: "", "Case-Kept_1": "groß 🌍" };
  await publish(broker, "q", { body: Buffer.from("body"), key: "Größe 鍵", headers });
  await eventually("delivery", () => inbox.deliveries.length === 1);
  expect(inbox.deliveries[0]?.message).toMatchObject({
    key: "Größe 鍵",
    destination: "q",
    headers,
  });
  expect(inbox.bodies).toEqual(["body"]);
});

test("any key and header either arrives as it was, or is refused", async () => {
  const { broker } = await started();
  broker.createQueue("q");
  const { inbox } = await subscribed(broker, "q", { window: 10_000 });
  const publisher = publisherOf(broker);
  const word = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 20 }),
    fc.string({ unit: "binary", maxLength: 5 }),
    fc.constantFrom("\0", "a\0b", "a\0", "\ud800", "\udc00x", "__proto__"),
  );
  const name = fc.oneof(fc.string({ unit: "grapheme-ascii", maxLength: 20 }), word);
  let carried = 0;
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(word, fc.array(fc.tuple(name, word), { maxLength: 4 }), async (key, pairs) => {
      const headers = Object.fromEntries(pairs);
      const count = inbox.deliveries.length;
      const sent: OutgoingMessage = { body: Buffer.alloc(0), key, headers };
      const error = await publisher.publish("q", [sent]).catch((thrown: PublishError) => thrown);
      if (error instanceof PublishError) {
        expect(error.failures[0]?.error).toMatchObject({ code: "UNSUPPORTED_MESSAGE" });
        refused++;
        return;
      }
      await eventually("delivery", () => inbox.deliveries.length === count + 1);
      const delivery = inbox.deliveries[count];
      expect(delivery?.message.key).toBe(key);
      expect(Object.entries(delivery?.message.headers ?? {}).sort()).toEqual(
        Object.entries(headers).sort(),
      );
      carried++;
    }),
    { numRuns: 300 },
  );
  expect(carried).toBeGreaterThan(20);
  expect(refused).toBeGreaterThan(20);
});

test("without a partition key there is no key", async () => {
  const message = await arrived((sent) => sent.setBinaryAttachment(Buffer.from("x")));
  expect(message.key).toBeUndefined();
  expect(message.headers).toEqual({});
});

test("a text message is its text, as UTF-8", async () => {
  const { SDTField, SDTFieldType } = solace;
  const message = await arrived((sent) =>
    sent.setSdtContainer(SDTField.create(SDTFieldType.STRING, "Grüße")),
  );
  expect(text(message)).toBe("Grüße");
});

test("a message with XML content alone is that", async () => {
  const message = await arrived((sent) => sent.setXmlContent("<order/>"));
  expect(text(message)).toBe("<order/>");
});

test("a message without anything has an empty body", async () => {
  const message = await arrived(() => {});
  expect(message.body).toBeInstanceOf(Uint8Array);
  expect(message.body).toHaveLength(0);
});

test("properties of other types are text; what is no value, or none that JavaScript can hold, is left out", async () => {
  const message = await arrived((sent) => {
    const { SDTFieldType, SDTMapContainer, SolclientFactory } = solace;
    const map = new SDTMapContainer();
    map.addField("count", SDTFieldType.INT32, 42);
    map.addField("flag", SDTFieldType.BOOL, true);
    map.addField("bytes", SDTFieldType.BYTEARRAY, Buffer.from([0, 255]));
    map.addField("reply", SDTFieldType.DESTINATION, SolclientFactory.createTopicDestination("a/b"));
    map.addField("nothing", SDTFieldType.NULLTYPE, null);
    map.addField("nested", SDTFieldType.MAP, new SDTMapContainer());
    map.addField("JMSXGroupID", SDTFieldType.STRING, "k");
    sent.setUserPropertyMap(map);
  });
  expect(message.headers).toEqual({ count: "42", flag: "true", bytes: "AP8=", reply: "a/b" });
  expect(message.key).toBe("k");
});

test("what only Solace has is there as the client gives it", async () => {
  const message = await arrived((sent) => {
    sent.setCorrelationId("c-1");
    sent.setApplicationMessageId("a-1");
  });
  expect(message.native.getCorrelationId()).toBe("c-1");
  expect(message.native.getApplicationMessageId()).toBe("a-1");
});

test("a small body does not keep what the socket read with it", async () => {
  const message = await arrived((sent) => sent.setBinaryAttachment(Buffer.from("small")));
  expect(message.body.buffer.byteLength).toBeLessThan(64 * 1024);
});
