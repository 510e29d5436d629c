import { LabError } from "@lab/core";
import type { BrokerName } from "../kinds/index.ts";
import { availability } from "../start.ts";
import { ask, find } from "./background.ts";
import { describe, product } from "./describe.ts";

/** Tells what runs in the background, and what a test or benchmark started from this shell would use. */
export async function status(names: readonly BrokerName[]): Promise<number> {
  for (const name of names) {
    console.log(`${name}`);
    console.log(`  started:   ${await started(name)}`);
    console.log(`  tests use: ${await used(name)}`);
  }
  return 0;
}

async function started(name: BrokerName): Promise<string> {
  const background = await find(name);
  if (background === undefined) return "nothing";
  const answer = await ask(background, "status");
  const since = `process ${background.pid}, since ${background.startedAt}`;
  const trouble = answer === "ok" ? "" : `, but it does not answer (${answer}): start it again`;
  return `${describe(background)}, ${since}${trouble}`;
}

async function used(name: BrokerName): Promise<string> {
  try {
    const { use, passedOver } = await availability(name);
    const found = use ? `${product(use)} from ${use.where}` : "nothing";
    const others = passedOver.map(({ how, why }) => `${how}: ${why}`).join("; ");
    const hint = use?.real ? "" : `. For a real one: npm run brokers -- install ${name}`;
    return `${found}${others ? ` [${others}]` : ""}${hint}`;
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    return `nothing: ${error.message}`;
  }
}
