import assert from "node:assert/strict";
import type { Scenario } from "../../scenario.ts";
import { expectUnsupported, roundTrip } from "../../tools/round-trip.ts";

const carried = {
  kind: "invoice",
  empty: "",
  greeting: "Grüße, 世界 🌍",
  "UPPER-lower_1": "Case Kept",
  long: "x".repeat(1000),
};

export const headers: Scenario = {
  name: "carries headers unchanged",
  needs: ({ headers }) => headers || "`headers` is declared false; their refusal is tested instead",
  async run(context) {
    const [message] = await roundTrip(context, [{ body: Buffer.from([0]), headers: carried }]);
    for (const [name, value] of Object.entries(carried)) {
      assert.equal(message?.headers[name], value, `header ${name}`);
    }
  },
};

export const headersRefused: Scenario = {
  name: "refuses headers where it carries none",
  appliesTo: ({ headers }) => !headers,
  run: (context) => expectUnsupported(context, { body: Buffer.from("x"), headers: { kind: "x" } }),
};
