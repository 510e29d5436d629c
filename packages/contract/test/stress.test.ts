import { afterAll, expect, vi } from "vitest";
import { contract, type Rig } from "../src/index.ts";
import { memoryCapabilities, memoryRig } from "../src/memory/index.ts";

const COPIES = 3;

/** The sources created, in order, over all copies. */
const created: { copy: number; name: string }[] = [];
let copies = 0;

function observed(): Rig {
  const memory = memoryRig();
  const copy = copies++;
  return {
    ...memory,
    createSource: (name) => {
      created.push({ copy, name });
      return memory.createSource(name);
    },
  };
}

vi.stubEnv("CONTRACT_STRESS", String(COPIES));
contract({ name: "memory under stress", capabilities: memoryCapabilities, rig: observed });
vi.unstubAllEnvs();

/** How often the value changes from one to the next. */
function changes(values: readonly unknown[]): number {
  return values.filter((value, i) => i > 0 && value !== values[i - 1]).length;
}

afterAll(() => {
  expect(copies).toBe(COPIES);
  expect(new Set(created.map(({ name }) => name)).size, "names are unique").toBe(created.length);
  const turns = changes(created.map(({ copy }) => copy));
  expect(turns, "the copies run side by side, not one after the other").toBeGreaterThan(COPIES);
  for (let copy = 0; copy < COPIES; copy++) {
    const own = created.filter((source) => source.copy === copy);
    const scenarios = own.map(({ name }) => name.slice(0, name.lastIndexOf("-")));
    expect(changes(scenarios) + 1, "within a copy, one scenario at a time").toBe(
      new Set(scenarios).size,
    );
  }
});
