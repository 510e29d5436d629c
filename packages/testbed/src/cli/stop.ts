import type { BrokerName } from "../kinds/index.ts";
import { ask, find } from "./background.ts";
import { describe } from "./describe.ts";

/** Ends the brokers in the background. What was not started here is left alone. */
export async function stop(names: readonly BrokerName[]): Promise<number> {
  let failures = 0;
  for (const name of names) {
    const background = await find(name);
    if (background === undefined) {
      console.log(`${name}: nothing was started`);
      continue;
    }
    const answer = await ask(background, "stop");
    if (answer !== "ok") failures += 1;
    console.log(`${name}: ${answer === "ok" ? "stopped" : answer}: ${describe(background)}`);
  }
  return failures === 0 ? 0 : 1;
}
