import fc from "fast-check";
import { expect, test } from "vitest";
import {
  ackRangesOf,
  assuredParam,
  decodeAssured,
  encodeAssured,
  encodeAssuredParam,
} from "../src/smf/assured-control.ts";
import { readU64, u64 } from "../src/smf/bytes.ts";
import {
  decodeClientControl,
  encodeClientControl,
  encodeClientParam,
} from "../src/smf/client-control.ts";
import { extendedTextOf } from "../src/smf/extended.ts";
import { decodeFrame, encodeFrame, encodeParam } from "../src/smf/frame.ts";
import { FrameSplitter } from "../src/smf/frame-splitter.ts";
import { MalformedFrame } from "../src/smf/malformed.ts";
import { partitionKeyOf } from "../src/smf/partition-key.ts";
import { decodeSubscriptionControl } from "../src/smf/subscription-control.ts";

const bytes = (maxLength: number) =>
  fc.uint8Array({ maxLength }).map((array) => Buffer.from(array));
const frame = fc
  .record({
    protocol: fc.integer({ min: 1, max: 0x3f }),
    params: fc.array(fc.tuple(fc.integer({ min: 1, max: 0x1f }), bytes(300)), { maxLength: 5 }),
    body: bytes(500),
  })
  .map(({ protocol, params, body }) => ({
    protocol,
    params,
    body,
    encoded: encodeFrame(
      protocol,
      params.map(([type, value]) => encodeParam(type, value)),
      body,
    ),
  }));

test("a frame is decoded as it was encoded", () => {
  fc.assert(
    fc.property(frame, ({ protocol, params, body, encoded }) => {
      const decoded = decodeFrame(encoded);
      expect(decoded.protocol).toBe(protocol);
      expect(decoded.body).toEqual(body);
      expect(decoded.params.map(({ type, value }) => [type, value])).toEqual(params);
    }),
  );
});

test("frames are found however the stream is cut", () => {
  fc.assert(
    fc.property(
      fc.array(frame, { maxLength: 6 }),
      fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 20 }),
      (frames, cuts) => {
        const stream = Buffer.concat(frames.map(({ encoded }) => encoded));
        const splitter = new FrameSplitter(1_000_000);
        const found: Buffer[] = [];
        for (let offset = 0, turn = 0; offset < stream.length; turn++) {
          const end = offset + (cuts[turn % cuts.length] as number);
          found.push(...splitter.push(stream.subarray(offset, end)).map((one) => Buffer.from(one)));
          offset = end;
        }
        expect(found).toEqual(frames.map(({ encoded }) => encoded));
      },
    ),
  );
});

test("a frame longer than allowed is refused as soon as its length is known", () => {
  const splitter = new FrameSplitter(100);
  const long = encodeFrame(0x0d, [], Buffer.alloc(100));
  expect(() => splitter.push(long.subarray(0, 12))).toThrow(MalformedFrame);
});

test("AssuredCtrl parameters and acknowledged ranges come back", () => {
  const ack = Buffer.concat([u64(3), u64(2 ** 40), Buffer.from([1])]);
  const body = encodeAssured(3, [
    encodeAssuredParam(0x05, ack),
    encodeAssuredParam(0x02, u64(2 ** 45 + 1)),
    encodeAssuredParam(0x07, Buffer.alloc(300, "q")),
  ]);
  const control = decodeAssured(body);
  expect(ackRangesOf(control)).toEqual([{ first: 3, last: 2 ** 40, outcome: 1 }]);
  expect(readU64(assuredParam(control, 0x02) ?? Buffer.alloc(0), "id")).toBe(2 ** 45 + 1);
  expect(assuredParam(control, 0x07)?.length).toBe(300);
});

test("the access token is found among the extended parameters", () => {
  // As solclientjs sends it: access token, id token, issuer.
  const hex = "503111746f6b656e746f6b656e313233005030096964746f6b00502f0769737300";
  const frame = encodeFrame(0x0c, [encodeParam(0x1f, Buffer.from(hex, "hex"))], Buffer.alloc(0));
  expect(extendedTextOf(decodeFrame(frame), 0x031)).toBe("tokentoken123");
  expect(extendedTextOf(decodeFrame(frame), 0x030)).toBe("idtok");
  expect(extendedTextOf(decodeFrame(frame), 0x02e)).toBeUndefined();
});

test("ClientCtrl parameters come back", () => {
  const body = encodeClientControl(0, [encodeClientParam(5, Buffer.from("name\0"))]);
  expect(decodeClientControl(body).params.get(5)?.toString()).toBe("name\0");
});

/** Either decodes, or says that it is malformed. */
function survives(decode: () => unknown): void {
  try {
    decode();
  } catch (error) {
    if (!(error instanceof MalformedFrame)) throw error;
  }
}

test("arbitrary bytes are decoded or refused, by every decoder", () => {
  const decoders = [decodeAssured, decodeClientControl, decodeSubscriptionControl];
  fc.assert(
    fc.property(bytes(200), (noise) => {
      for (const decode of decoders) survives(() => decode(noise));
      survives(() => ackRangesOf(decodeAssured(noise)));
      if (noise.length >= 12) survives(() => partitionKeyOf(decodeFrame(noise)));
      const extended = encodeFrame(0x0c, [encodeParam(0x1f, noise)], Buffer.alloc(0));
      survives(() => extendedTextOf(decodeFrame(extended), 0x031));
      survives(() => new FrameSplitter(1_000).push(noise));
    }),
    { numRuns: 5_000 },
  );
});

/** Structured data: a tag, the length of all of it in one byte, the value. */
function sdt(type: number, ...values: readonly Buffer[]): Buffer {
  const value = Buffer.concat(values);
  return Buffer.concat([Buffer.from([type << 2, value.length + 2]), value]);
}

const text = (value: string): Buffer => sdt(7, Buffer.from(`${value}\0`));

/** A message with user properties, as clients lay it out. */
function withProperties(properties: Readonly<Record<string, string>>): Buffer {
  const entries = Object.entries(properties).flatMap(([name, value]) => [text(name), text(value)]);
  const preamble = sdt(6, Buffer.from([0x80, 0]));
  const stream = sdt(11, preamble, sdt(10, text("p"), sdt(10, ...entries), text("h"), sdt(10)));
  const blocks = Buffer.from([1, 0, 0, 0, stream.length]);
  const metadata = Buffer.concat([blocks, stream]);
  const summary = encodeParam(0x16, Buffer.from([0x42, metadata.length]));
  return encodeFrame(0x0d, [summary], metadata);
}

test("the partition key is found among the user properties", () => {
  const key = (properties: Readonly<Record<string, string>>) =>
    partitionKeyOf(decodeFrame(withProperties(properties)));
  expect(key({ kind: "x", JMSXGroupID: "order-7" })).toBe("order-7");
  expect(key({ JMSXGroupID: "" })).toBe("");
  expect(key({ JMSXGroup: "order-7" })).toBeUndefined();
  expect(partitionKeyOf(decodeFrame(encodeFrame(0x0d, [], Buffer.from("body"))))).toBeUndefined();
});

test("a broken byte anywhere in a message with properties is survived", () => {
  const whole = withProperties({ kind: "x", JMSXGroupID: "order-7" });
  fc.assert(
    fc.property(fc.nat(whole.length - 13), fc.integer({ min: 0, max: 255 }), (at, value) => {
      const broken = Buffer.from(whole);
      broken[12 + at] = value;
      survives(() => partitionKeyOf(decodeFrame(broken)));
    }),
    { numRuns: 5_000 },
  );
});
