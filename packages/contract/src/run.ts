import { ScenarioContext, type Setting } from "./context.ts";
import type { Scenario } from "./scenario.ts";

/** Runs one scenario and cleans up after it. @throws the first thing that went wrong */
export async function runScenario({ name, run }: Scenario, setting: Setting): Promise<void> {
  const context = new ScenarioContext(name, setting);
  let failure: Error | undefined;
  try {
    await run(context);
    context.expectPortsKept();
  } catch (error) {
    failure = error as Error;
  }
  const errors = await context.cleanUp();
  if (failure !== undefined) throw failure;
  if (errors.length > 0) throw errors[0];
  context.expectPortsKept();
}
