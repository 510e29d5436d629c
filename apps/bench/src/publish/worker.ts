import { randomBytes } from "node:crypto";
import { type BenchRig, brokers, type PublishBroker } from "../brokers.ts";
import { answerRequests } from "../worker-process.ts";
import type { PlainClient } from "./clients/client.ts";
import { plainClients } from "./clients/index.ts";
import { bodyBytes, publishFor, type Variant, variantsBeside } from "./variants.ts";

/** What a worker is asked for: one round. The broker's URL is in its environment. */
export interface WorkerRequest {
  readonly broker: PublishBroker;
  readonly seconds: number;
}

/** What one variant has measured. */
export interface Measured extends Pick<Variant, "variant" | "batch" | "client"> {
  readonly perSecond: number;
  /** Confirmed, and not found on the broker. */
  readonly lost: number;
}

/** Most messages of one measurement: the broker has to keep them, and each is counted there afterwards. */
const mostMessages = 40_000;

/** Before, each variant publishes for so many times as long, unmeasured: the first would else run code not compiled yet. */
const warmUp = 0.25;

answerRequests(async ({ broker, seconds }: WorkerRequest): Promise<Measured[]> => {
  const choice = brokers.find(({ name }) => name === broker);
  if (choice === undefined) throw new Error(`No broker is named "${broker}".`);
  const rig = await choice.start(broker === "memory" ? {} : { how: "running" });
  try {
    const before = await measureAll(rig, broker, seconds * warmUp);
    const measured = await measureAll(rig, broker, seconds);
    return measured.map((one, i) => ({ ...one, lost: one.lost + (before[i]?.lost ?? 0) }));
  } finally {
    await rig.close();
  }
});

async function measureAll(
  rig: BenchRig,
  broker: PublishBroker,
  seconds: number,
): Promise<Measured[]> {
  const plain = plainClients[broker];
  const measured: Measured[] = [];
  for (const variant of variantsBeside(plain?.client)) {
    const open = variant.variant === "client" && plain ? openPlain(plain) : openOurs;
    measured.push(await measure(rig, variant, open, seconds));
  }
  return measured;
}

interface Opened {
  /** Publishes the batch that it was opened with. */
  publish(): Promise<void>;
  close(): Promise<void>;
}

type Open = (rig: BenchRig, destination: string, bodies: readonly Buffer[]) => Promise<Opened>;

const openOurs: Open = async (rig, destination, bodies) => {
  const publisher = await rig.publisher();
  const messages = bodies.map((body) => ({ body }));
  return {
    publish: () => publisher.publish(destination, messages),
    close: () => publisher.close(),
  };
};

function openPlain(client: PlainClient): Open {
  return async ({ url = "" }, destination, bodies) => {
    const publisher = await client.connect(url, destination);
    return { publish: () => publisher.publish(bodies), close: () => publisher.close() };
  };
}

async function measure(
  rig: BenchRig,
  { variant, batch, calls, client }: Variant,
  open: Open,
  seconds: number,
): Promise<Measured> {
  const name = `publish-${randomBytes(4).toString("hex")}`;
  const { destination, purge } = await rig.createSource(name);
  const bodies = new Array<Buffer>(batch).fill(Buffer.alloc(bodyBytes, "x"));
  const { publish, close } = await open(rig, destination, bodies);
  await publish(); // Connects.
  const limit = { ms: seconds * 1_000, messages: mostMessages };
  const { messages, ms } = await publishFor(publish, { batch, calls }, limit);
  await close();
  // More may be there than were confirmed: publishing is at least once.
  const lost = Math.max(0, batch + messages - (await purge()));
  return { variant, batch, client, perSecond: (messages / ms) * 1_000, lost };
}
