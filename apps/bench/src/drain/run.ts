import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Ledger, type LedgerReport, type Rig, type TestSource } from "@lab/contract";
import { type Consumer, consume, type HandlerContext, type OutgoingMessage } from "@lab/core";
import { lowerBound } from "./bound.ts";
import type { Configuration } from "./configuration.ts";
import { ObservedDelivery, Observer } from "./observer.ts";
import type { Span } from "./result.ts";
import { type Content, decode, encode, keyName, keyOf, type Workload } from "./workload.ts";

const publishBatch = 500;

export interface RunOptions {
  readonly window: number;
  /** How long a run may go without a message handled, besides the longest handler, before it is given up. In ms. */
  readonly patience: number;
  readonly signal: AbortSignal;
  readonly onProgress: (handled: number) => void;
}

/** What one drain of the backlog measured. Times in ms. */
export interface Measurement {
  readonly bindMs: number;
  readonly elapsedMs: number;
  readonly handlerMs: number;
  readonly boundMs: number;
  /** Ascending. */
  readonly waits: Float64Array;
  /** Times from the first delivery. */
  readonly spans: readonly Span[];
  readonly ledger: LedgerReport;
  /** The first offences against order, in words. */
  readonly findings: readonly string[];
  readonly leftOnBroker: number;
  readonly maxUnsettled: number;
  /** Why the run ended early, where it did. */
  readonly problem: string | undefined;
}

/** Queues the backlog at the broker, then lets one configuration drain it. */
export async function drainOnce(
  rig: Rig,
  workload: Workload,
  { dispatch, lanes }: Configuration,
  { window, patience, signal, onProgress }: RunOptions,
): Promise<Measurement> {
  const name = `drain-${dispatch}-${lanes}-${randomBytes(4).toString("hex")}`;
  const source = await rig.createSource(name);
  const ledger = new Ledger();
  await publishBacklog(rig, source, workload, ledger);

  const observer = new Observer(() => ledger.faultInjected());
  const waits: number[] = [];
  const spans: Span[] = [];
  let finish = (): void => {};
  const complete = new Promise<void>((resolve) => {
    finish = resolve;
  });

  const handler = async (content: Content, context: HandlerContext): Promise<void> => {
    const start = performance.now();
    const key = keyName(content.key);
    ledger.start(key, content.sequence);
    if (context.delivery instanceof ObservedDelivery)
      waits.push(start - context.delivery.arrivedAt);
    await sleep(workload.handlerMs[content.index]);
    ledger.succeed(key, content.sequence);
    spans.push({ key: content.key, lane: context.lane, start, end: performance.now() });
    onProgress(ledger.done);
    if (ledger.complete) finish();
  };

  const boundAt = performance.now();
  const consumer = await consume({
    subscriber: observer.observe(source.subscriber()),
    source: source.source,
    key: keyOf,
    deserialize: decode,
    handler,
    dispatch,
    lanes,
    window,
    signal,
  });
  const longestHandler = Math.max(0, ...workload.handlerMs);
  const problem = await outcome(consumer, complete, ledger, patience + longestHandler);
  signal.throwIfAborted();

  const origin = observer.firstDeliveryAt ?? boundAt;
  return {
    bindMs: origin - boundAt,
    elapsedMs: (observer.lastSettleAt ?? origin) - origin,
    ...lowerBound(
      spans.map(({ key, start, end }) => ({ key, ms: end - start })),
      lanes,
    ),
    waits: Float64Array.from(waits).sort(),
    spans: spans.map((span) => ({ ...span, start: span.start - origin, end: span.end - origin })),
    ledger: ledger.report(),
    findings: ledger.findings,
    leftOnBroker: await source.purge(),
    maxUnsettled: observer.maxUnsettled,
    problem,
  };
}

async function publishBacklog(
  rig: Rig,
  source: TestSource,
  workload: Workload,
  ledger: Ledger,
): Promise<void> {
  const publisher = await rig.publisher();
  // Partitions are filled by key. Everywhere else it is the one in the body that counts.
  const outgoing = (index: number): OutgoingMessage => ({
    body: encode(workload, index),
    ...(publisher.capabilities.keys && { key: keyName(workload.key[index] ?? 0) }),
  });
  try {
    for (let from = 0; from < workload.messages; from += publishBatch) {
      const size = Math.min(publishBatch, workload.messages - from);
      const batch = Array.from({ length: size }, (_, i) => outgoing(from + i));
      for (let i = from; i < from + size; i++) ledger.publish(keyName(workload.key[i] ?? 0));
      await publisher.publish(source.destination, batch);
    }
  } finally {
    await publisher.close();
  }
}

/** Waits for the run to end, in whatever way, and closes the consumer. Resolves to what went wrong, if anything did. */
async function outcome(
  consumer: Consumer,
  complete: Promise<void>,
  ledger: Ledger,
  stallMs: number,
): Promise<string | undefined> {
  const ended = consumer.closed.then(
    () => "The consumer ended early.",
    (error: Error) => `The consumer ended early: ${error.message}`,
  );
  const watch = new AbortController();
  try {
    const problem = await Promise.race([
      complete.then(() => undefined),
      ended,
      stalled(ledger, stallMs, watch.signal),
    ]);
    const { left } = await consumer.drain({ timeout: stallMs });
    if (problem !== undefined) return problem;
    return left === 0 ? undefined : `The drain left ${left} deliveries.`;
  } finally {
    watch.abort();
    await consumer.stop();
  }
}

/** Resolves when no message was handled for `stallMs`; never once `signal` has aborted. */
function stalled(ledger: Ledger, stallMs: number, signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    let done = ledger.done;
    const timer = setInterval(() => {
      if (ledger.done > done) done = ledger.done;
      else resolve(`Nothing was handled for ${stallMs} ms.`);
    }, stallMs);
    signal.addEventListener("abort", () => clearInterval(timer), { once: true });
  });
}
