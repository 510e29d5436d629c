import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Framer } from "../src/codec/framer.ts";
import { getVarint, putVarint, varintSize } from "../src/codec/varint.ts";
import { PacketFault } from "../src/reason.ts";

describe("variable byte integers", () => {
  test("round trip in the fewest bytes", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 268_435_455 }), (value) => {
        const buffer = Buffer.alloc(4);
        const end = putVarint(buffer, 0, value);
        expect(end).toBe(varintSize(value));
        expect(getVarint(buffer, 0, end)).toBe(value);
        expect(getVarint(buffer, 0, end - 1)).toBe(-1);
      }),
    );
  });

  test.each([
    ["padded", [0x80, 0x00]],
    ["too long", [0x80, 0x80, 0x80, 0x80, 0x01]],
  ])("%s: refused", (_, input) => {
    expect(() => getVarint(Buffer.from(input), 0, input.length)).toThrow(PacketFault);
  });
});

describe("the framer", () => {
  const packet = fc
    .record({
      header: fc.integer({ min: 0x10, max: 0xff }),
      body: fc.uint8Array({ maxLength: 500 }),
    })
    .map(({ header, body }) => {
      const bytes = Buffer.alloc(1 + varintSize(body.length) + body.length);
      bytes[0] = header;
      bytes.set(body, putVarint(bytes, 1, body.length));
      return bytes;
    });

  test("gives the same packets however the stream is cut, and whenever it is held", () => {
    fc.assert(
      fc.property(
        fc.array(packet, { maxLength: 20 }),
        fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 50 }),
        fc.array(fc.boolean(), { minLength: 1, maxLength: 10 }),
        (packets, sizes, holds) => {
          const found: Buffer[] = [];
          let held = false;
          const framer = new Framer(1_000, (bytes, header, start, end) => {
            expect(held).toBe(false);
            const length = end - start;
            found.push(Buffer.from(bytes.subarray(start - 1 - varintSize(length), end)));
            expect(found.at(-1)?.[0]).toBe(header);
            held = holds[found.length % holds.length] === true;
            if (held) framer.hold();
          });
          const release = (): void => {
            held = false;
            framer.release();
          };
          const stream = Buffer.concat(packets);
          let at = 0;
          for (let i = 0; at < stream.length; i++) {
            const size = sizes[i % sizes.length] as number;
            framer.push(stream.subarray(at, at + size));
            at += size;
            if (i % 3 === 0) release();
          }
          for (let i = 0; i <= packets.length; i++) release();
          expect(found).toEqual(packets);
        },
      ),
    );
  });

  test("refuses a packet that is too large by its header alone", () => {
    const framer = new Framer(1_000, () => {});
    expect(() => framer.push(Buffer.from([0x30, 0xff, 0xff, 0x7f]))).toThrow(/1000/);
  });

  test("does not make room for more than has come", () => {
    const framer = new Framer(2 ** 29, () => {});
    const before = process.memoryUsage().arrayBuffers;
    for (let i = 0; i < 3; i++) framer.push(Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f]));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 24);
  });
});
