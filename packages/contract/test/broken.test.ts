import { describe, expect, test } from "vitest";
import { runScenario } from "../src/run.ts";
import { scenarios } from "../src/scenarios/index.ts";
import type { Broken } from "./broken/broken.ts";
import { brokenDeliveries } from "./broken/deliveries.ts";
import { brokenEndings } from "./broken/endings.ts";
import { brokenPublishing } from "./broken/publishing.ts";
import { brokenSessions } from "./broken/sessions.ts";
import { brokenSettles } from "./broken/settles.ts";
import { altered } from "./support/altered.ts";

/** Passes in full where something never comes: that is how most of these faults are seen. */
const DEADLINE = 2_000;

async function failureOf({ fails, alteration }: Broken): Promise<string> {
  const scenario = Object.values(scenarios)
    .flat()
    .find(({ name }) => name === fails);
  if (scenario === undefined) throw new Error(`There is no scenario "${fails}".`);
  const { rig, capabilities } = altered(alteration);
  try {
    await runScenario(scenario, { rig, capabilities, deadline: DEADLINE });
    return "it passed";
  } catch (error) {
    return (error as Error).message;
  } finally {
    await rig.close();
  }
}

const themes = {
  deliveries: brokenDeliveries,
  settles: brokenSettles,
  sessions: brokenSessions,
  endings: brokenEndings,
  publishing: brokenPublishing,
};

for (const [theme, adapters] of Object.entries(themes)) {
  describe(`a memory adapter with broken ${theme}`, { concurrent: true }, () => {
    for (const broken of adapters) {
      test(`${broken.fault}: fails "${broken.fails}"`, async () => {
        expect(await failureOf(broken)).toMatch(broken.saying);
      });
    }
  });
}
