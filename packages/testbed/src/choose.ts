import { LabError } from "@lab/core";
import type { How, StartOptions } from "./broker.ts";
import type { BrokerKind } from "./kind.ts";
import { type OpenWay, ways } from "./ways.ts";

export interface Choice {
  /** Absent when nothing can do what is asked. */
  readonly way: OpenWay | undefined;
  readonly passedOver: readonly { readonly how: How; readonly why: string }[];
}

/** The first way that can do what is asked, and why not those before it. Starts nothing. */
export async function choose(kind: BrokerKind, options: StartOptions): Promise<Choice> {
  const passedOver: { how: How; why: string }[] = [];
  for (const [how, open] of ways) {
    options.signal?.throwIfAborted();
    if (options.how !== undefined && options.how !== how) continue;
    const way = await open(kind, options);
    if (!("why" in way)) return { way, passedOver };
    passedOver.push({ how, why: way.why });
  }
  return { way: undefined, passedOver };
}

/** The error for a choice without a way: what was considered, and how to get a broker. */
export function nothingToUse(kind: BrokerKind, { passedOver }: Choice): LabError {
  const reasons = passedOver.map(({ how, why }) => `  ${how}: ${why}`).join("\n");
  return new LabError(
    "BROKER_START_FAILED",
    `Nothing here can be the ${kind.name} broker that was asked for:\n${reasons}\n` +
      `Install one with \`npm run brokers -- install ${kind.name}\`, start a docker engine, or set ${kind.urlVariable} ` +
      "to the URL of one that runs.",
  );
}
