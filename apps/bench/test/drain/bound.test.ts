import { expect, test } from "vitest";
import { lowerBound } from "../../src/drain/bound.ts";
import { median, percentile } from "../../src/statistics.ts";

// Keys a, b, c with chains of 30, 24 and 6 ms: 60 ms in all.
const handled = [
  { key: 0, ms: 10 },
  { key: 1, ms: 24 },
  { key: 0, ms: 20 },
  { key: 2, ms: 6 },
];

test.each([
  [1, 60],
  [2, 30],
  [3, 30],
  [32, 30],
])("with %d lanes the bound is %d ms", (lanes, boundMs) => {
  expect(lowerBound(handled, lanes)).toEqual({ handlerMs: 60, boundMs });
});

test("nothing handled, nothing bound", () => {
  expect(lowerBound([], 4)).toEqual({ handlerMs: 0, boundMs: 0 });
});

test("percentiles are nearest-rank", () => {
  const hundred = Float64Array.from({ length: 100 }, (_, i) => i + 1);
  expect(percentile(hundred, 0.5)).toBe(50);
  expect(percentile(hundred, 0.99)).toBe(99);
  expect(percentile([7], 0.99)).toBe(7);
  expect(percentile([], 0.5)).toBe(0);
});

test("the median of an even number of values lies between the two in the middle", () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([4, 1, 2, 9])).toBe(3);
});
