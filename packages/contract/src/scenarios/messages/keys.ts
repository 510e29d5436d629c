import assert from "node:assert/strict";
import type { Scenario } from "../../scenario.ts";
import { expectUnsupported, roundTrip } from "../../tools/round-trip.ts";

const carried = ["plain", "Größe 鍵 🔑", "with space / + # $ * %", "k".repeat(200), ""];

export const keys: Scenario = {
  name: "carries keys unchanged",
  needs: ({ keys }) => keys || "`keys` is declared false; their refusal is tested instead",
  async run(context) {
    const arrived = await roundTrip(
      context,
      carried.map((key, i) => ({ body: Buffer.from([i]), key })),
    );
    assert.deepEqual(
      arrived.map(({ key }) => key),
      carried,
    );
  },
};

export const keysRefused: Scenario = {
  name: "refuses keys where it carries none",
  appliesTo: ({ keys }) => !keys,
  run: (context) => expectUnsupported(context, { body: Buffer.from("x"), key: "k" }),
};
