import fc from "fast-check";
import { expect, test } from "vitest";
import { InFlight, InFlightTable, unkept } from "../src/in-flight.ts";

test("does what a Map in order of insertion does, and never gives an id that is in flight", () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.constant("add" as const) },
    { weight: 2, arbitrary: fc.nat() },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), fc.nat(70_000), (steps, skipped) => {
      const table = new InFlightTable();
      const model = new Map<number, InFlight>();
      const stuck = table.newId();
      table.add(stuck, unkept);
      for (let i = 0; i < skipped; i++) {
        const id = table.newId(); // wraps around, past the one that is stuck
        table.add(id, unkept);
        table.delete(id);
      }
      for (const each of steps) {
        if (each === "add") {
          const id = table.newId();
          expect(id).toBeGreaterThan(0);
          expect(id).toBeLessThan(65_536);
          expect(id !== stuck && !model.has(id)).toBe(true);
          const entry = new InFlight(id, 1, undefined);
          table.add(id, entry);
          model.set(id, entry);
        } else if (model.size > 0) {
          const id = [...model.keys()][each % model.size] as number;
          expect(table.get(id)).toBe(model.get(id));
          table.delete(id);
          model.delete(id);
          expect(table.get(id)).toBeUndefined();
        }
        expect(table.size).toBe(model.size + 1);
      }
      expect(table.kept()).toEqual([...model.values()]);
      expect(table.get(stuck)).toBe(unkept);
    }),
    { numRuns: 60 },
  );
});

test("holds as many as there are packet ids, but one", () => {
  const table = new InFlightTable();
  for (let i = 0; i < 65_534; i++) table.add(table.newId(), unkept);
  table.add(table.newId(), unkept);
  expect(table.size).toBe(65_535);
  expect(table.get(1)).toBe(unkept);
});
