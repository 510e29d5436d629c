import type { Dispatch } from "@lab/core";
import { wholeNumber } from "../arguments.ts";
import { invalidOption } from "../invalid-option.ts";

/** One subscriber design: how messages get to the handler, and how many are handled at once. */
export interface Configuration {
  readonly dispatch: Dispatch;
  readonly lanes: number;
}

/** `inline` or a number of lanes. */
export type ConfigToken = "inline" | number;

export const dispatchChoices = ["keyed", "hashed", "both"] as const;
export type DispatchChoice = (typeof dispatchChoices)[number];

const mostLanes = 4096;

/** @throws {LabError} `INVALID_OPTION` */
export function parseConfigs(name: string, text: string): ConfigToken[] {
  const tokens = text.split(",").map((part): ConfigToken => {
    if (part === "inline") return part;
    if (!/^\d+$/.test(part)) {
      throw invalidOption(
        name,
        text,
        "`inline` and numbers of lanes, with commas between them",
        "For example inline,2,4,8,32.",
      );
    }
    return wholeNumber(`${name} (lanes)`, part, 1, mostLanes);
  });
  if (new Set(tokens).size < tokens.length) throw invalidOption(name, text, "without repetition");
  return tokens;
}

/** @throws {LabError} `INVALID_OPTION` */
export function parseDispatch(name: string, text: string): DispatchChoice {
  const choice = dispatchChoices.find((known) => known === text);
  if (choice === undefined) throw invalidOption(name, text, dispatchChoices.join(", "));
  return choice;
}

/** In the order in which they run. Inline comes first, wherever it was named: the others are compared with it. */
export function configurations(
  tokens: readonly ConfigToken[],
  choice: DispatchChoice,
): Configuration[] {
  const dispatches: Dispatch[] = choice === "both" ? ["hashed", "keyed"] : [choice];
  const laned = tokens.filter((token) => token !== "inline");
  const inline: Configuration[] = tokens.includes("inline")
    ? [{ dispatch: "inline", lanes: 1 }]
    : [];
  return inline.concat(
    laned.flatMap((lanes) => dispatches.map((dispatch) => ({ dispatch, lanes }))),
  );
}

/** As the tables name it: `inline`, `32 keyed lanes`. */
export function configurationName({ dispatch, lanes }: Configuration): string {
  if (dispatch === "inline") return "inline";
  return `${lanes} ${dispatch} ${lanes === 1 ? "lane" : "lanes"}`;
}
