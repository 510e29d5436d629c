import type { OutgoingMessage, Subscriber } from "@lab/core";
import type { ScenarioContext } from "../context.ts";

/** Cuts every connection of the rig. @throws {Error} where the rig declares the fault and does not implement it */
export async function cut(context: ScenarioContext): Promise<void> {
  const { rig } = context;
  if (rig.faults.cut === undefined) throw notImplemented("faults.cut");
  await context.within("the cut of the connections", rig.faults.cut());
}

export async function restart(context: ScenarioContext): Promise<void> {
  const { rig } = context;
  if (rig.faults.restart === undefined) throw notImplemented("faults.restart");
  await context.within("the restart of the broker", rig.faults.restart());
}

/** A subscription that must fail. */
export interface Refused {
  readonly subscriber: Subscriber;
  readonly source: string;
}

export type SubscribeRefusal = "missingSource" | "wrongCredentials" | "unreachable";

export function refusedSubscriber({ rig }: ScenarioContext, refusal: SubscribeRefusal): Refused {
  const refused = rig.refusals[refusal]?.();
  if (refused === undefined) throw notImplemented(`refusals.${refusal}`);
  return refused;
}

export function refusedDestination({ rig }: ScenarioContext): string {
  const destination = rig.refusals.refusedDestination?.();
  if (destination === undefined) throw notImplemented("refusals.refusedDestination");
  return destination;
}

export function refusedMessage({ rig }: ScenarioContext): OutgoingMessage {
  const message = rig.refusals.refusedMessage?.();
  if (message === undefined) throw notImplemented("refusals.refusedMessage");
  return message;
}

export function notImplemented(what: string): Error {
  return new Error(`The rig declares \`${what}\` and does not implement it.`);
}
