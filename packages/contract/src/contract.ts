import { invalidOption } from "@lab/core/adapter";
import { afterAll, beforeAll, describe, test } from "vitest";
import { type ContractCapabilities, checkCapabilities } from "./capabilities.ts";
import type { Rig } from "./rig.ts";
import { runScenario } from "./run.ts";
import { scenarios } from "./scenarios/index.ts";

export interface ContractOptions {
  /** The title of the suite: adapter and broker. */
  readonly name: string;
  readonly capabilities: ContractCapabilities;
  /** Makes a rig; called once per suite, in stress mode once per copy. The suite closes it. */
  readonly rig: () => Rig | Promise<Rig>;
  /** Longest wait for one thing, in ms. Generous: it passes in full only when something is wrong. @default 20_000 */
  readonly deadline?: number;
}

/** A scenario waits for several things, one after the other. */
const WAITS_PER_SCENARIO = 3;

/**
 * Registers the suite in vitest: a test for each scenario. What the capabilities rule out is skipped, and printed with
 * why at the end. With `CONTRACT_STRESS=N` in the environment it is registered N times, and the copies run side by side.
 * @throws {LabError} `INVALID_OPTION`
 */
export function contract(options: ContractOptions): void {
  checkCapabilities(options.capabilities);
  const { deadline = 1 } = options;
  if (!(deadline > 0)) throw invalidOption("deadline", deadline, "a number of ms above 0");
  const copies = stressCopies();
  for (let copy = 1; copy <= copies; copy++) {
    const name = copies === 1 ? options.name : `${options.name}, copy ${copy}`;
    describe(name, { concurrent: copies > 1 }, () => register(name, options));
  }
}

function register(name: string, options: ContractOptions): void {
  const { capabilities, deadline = 20_000 } = options;
  const timeout = WAITS_PER_SCENARIO * deadline;
  const skipped: string[] = [];
  let rig: Rig | undefined;
  beforeAll(async () => {
    rig = await options.rig();
  }, timeout);
  afterAll(async () => {
    if (skipped.length > 0) console.info(`${name}: skipped\n${skipped.join("\n")}`);
    await rig?.close();
  }, timeout);

  for (const [theme, list] of Object.entries(scenarios)) {
    for (const scenario of list) {
      if (scenario.appliesTo?.(capabilities) === false) continue;
      const possible = scenario.needs?.(capabilities) ?? true;
      if (possible !== true) skipped.push(`- ${scenario.name}: ${possible}`);
      test(`${theme}: ${scenario.name}`, { timeout, concurrent: false }, async ({ skip }) => {
        if (possible !== true) skip(possible);
        if (rig === undefined) throw new Error("The rig could not be made.");
        await runScenario(scenario, { rig, capabilities, deadline });
      });
    }
  }
}

function stressCopies(): number {
  const text = process.env.CONTRACT_STRESS ?? "1";
  const copies = Number(text);
  if (!Number.isInteger(copies) || copies < 1) {
    throw invalidOption("CONTRACT_STRESS", text, "an integer ≥ 1");
  }
  return copies;
}
