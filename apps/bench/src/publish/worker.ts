import { randomBytes } from "node:crypto";
import type { Rig } from "@lab/contract";
import { type BrokerName, brokers } from "../brokers.ts";
import { answerRequests } from "../worker-process.ts";
import { publishFor, type Variant, variants } from "./variants.ts";

/** What a worker is asked for: one round. The broker's URL is in its environment. */
export interface WorkerRequest {
  readonly broker: BrokerName;
  readonly seconds: number;
}

/** What one variant has measured. */
export interface Measured {
  readonly perSecond: number;
  /** Confirmed, and not found on the broker. */
  readonly lost: number;
}

/** Most messages of one measurement: the broker has to keep them, and each is counted there afterwards. */
const mostMessages = 40_000;

/** How long is published before, for warming up: so many times as long. */
const warmUp = 0.25;

answerRequests(async ({ broker, seconds }: WorkerRequest): Promise<Measured[]> => {
  const choice = brokers.find(({ name }) => name === broker);
  if (choice === undefined) throw new Error(`No broker is named "${broker}".`);
  const rig = await choice.start(broker === "memory" ? {} : { how: "running" });
  try {
    const measured: Measured[] = [];
    for (const variant of variants) measured.push(await measure(rig, variant, seconds));
    return measured;
  } finally {
    await rig.close();
  }
});

async function measure(rig: Rig, variant: Variant, seconds: number): Promise<Measured> {
  const { destination, purge } = await rig.createSource(
    `publish-${randomBytes(4).toString("hex")}`,
  );
  const publisher = await rig.publisher();
  const limit = { ms: seconds * 1_000, messages: mostMessages };
  const before = await publishFor(publisher, destination, variant, {
    ms: limit.ms * warmUp,
    messages: limit.messages * warmUp,
  });
  const { messages, ms } = await publishFor(publisher, destination, variant, limit);
  await publisher.close();
  const lost = before.messages + messages - (await purge());
  return { perSecond: (messages / ms) * 1_000, lost };
}
