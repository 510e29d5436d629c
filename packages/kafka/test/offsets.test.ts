import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FetchedRecord } from "../src/client.ts";
import { Completions, encodeCompletions } from "../src/offsets/completions.ts";
import { OffsetTracker, type TrackedRecords } from "../src/offsets/tracker.ts";

const record = (offset: number): FetchedRecord => ({
  offset: `${offset}`,
  timestamp: "0",
  key: null,
  value: null,
});

/** Offsets with gaps between them, cut into fetches. */
const fetches = fc
  .array(fc.record({ gap: fc.integer({ min: 0, max: 3 }), first: fc.boolean() }), {
    minLength: 1,
    maxLength: 60,
  })
  .map((steps) => {
    const pages: number[][] = [[]];
    let offset = 100;
    for (const { gap, first } of steps) {
      if (first && pages.at(-1)?.length !== 0) pages.push([]);
      offset += gap;
      pages.at(-1)?.push(offset++);
    }
    return pages;
  });

describe("the offset tracker", () => {
  test("agrees with a model that looks at every record, whatever is done in whatever order", () => {
    fc.assert(
      fc.property(fetches, fc.infiniteStream(fc.nat()), (pages, random) => {
        const tracker = new OffsetTracker();
        const open: { page: TrackedRecords; index: number; offset: number }[] = [];
        const done = new Set<number>();
        const all = pages.flat();
        const end = (all.at(-1) as number) + 1;
        const registered: number[] = [];
        const waiting = [...pages];
        while (waiting.length > 0 || open.length > 0) {
          const turn = random.next().value as number;
          if (waiting.length > 0 && (open.length === 0 || turn % 3 === 0)) {
            const offsets = waiting.shift() as number[];
            const next = waiting[0]?.[0] ?? end;
            const page = tracker.register(offsets.map(record), next);
            for (const [index, offset] of offsets.entries()) open.push({ page, index, offset });
            registered.push(...offsets);
          } else {
            const [{ page, index, offset }] = open.splice(turn % open.length, 1) as [
              (typeof open)[number],
            ];
            page.done(index);
            done.add(offset);
          }
          const first = registered.find((offset) => !done.has(offset));
          const watermark = tracker.watermark();
          expect(watermark?.offset).toBe(first ?? tracker.next);
          expect(watermark?.records).toBe(
            first === undefined ? registered.length : registered.indexOf(first),
          );
          const beyond = registered.filter((offset) => done.has(offset) && offset > (first ?? end));
          expect([...tracker.doneBeyond()]).toEqual(beyond);
        }
      }),
    );
  });

  test("does not pass records that are fetched and not handed on yet", () => {
    const tracker = new OffsetTracker();
    const page = tracker.register([record(0), record(1), record(2)], 3);
    page.done(0);
    tracker.register([record(3)], 4);
    expect(tracker.watermark()).toEqual({ offset: 1, records: 1 });
  });

  test("passes control records behind the last record once everything before them is done", () => {
    const tracker = new OffsetTracker();
    const page = tracker.register([record(0)], 2);
    expect(tracker.watermark()?.offset).toBe(0);
    tracker.skip(5);
    page.done(0);
    expect(tracker.watermark()?.offset).toBe(5);
  });
});

describe("completions in metadata", () => {
  const sets = fc.uniqueArray(fc.integer({ min: 1, max: 500 }), { maxLength: 200 });

  test("come back as they were written", () => {
    fc.assert(
      fc.property(sets, fc.nat({ max: 2 ** 40 }), (beyond, committed) => {
        const offsets = beyond.map((distance) => committed + distance).sort((a, b) => a - b);
        const metadata = encodeCompletions(committed, offsets, 4_096);
        const read = Completions.decode(committed, metadata);
        for (let offset = committed; offset < committed + 502; offset++) {
          expect(read?.has(offset) ?? false).toBe(offsets.includes(offset));
        }
      }),
      { numRuns: 50 },
    );
  });

  test("stay within the limit, and keep the first of them", () => {
    const offsets = Array.from({ length: 5_000 }, (_, i) => 1 + 2 * i);
    const metadata = encodeCompletions(0, offsets, 4_096);
    expect(Buffer.byteLength(metadata)).toBeLessThanOrEqual(4_096);
    const read = Completions.decode(0, metadata);
    const kept = offsets.filter((offset) => read?.has(offset));
    expect(kept).toEqual(offsets.slice(0, kept.length));
    expect(kept.length).toBeGreaterThan(1_000);
  });

  test.each(["", "somebody else's", "lab2:AAAA"])(
    "are not read from metadata of another origin: %j",
    (metadata) => {
      expect(Completions.decode(0, metadata)).toBeUndefined();
    },
  );
});
