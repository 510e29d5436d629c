import type { NamedRig } from "../brokers.ts";
import { formatCount } from "../format.ts";
import type { Progress } from "../progress.ts";
import { median } from "../statistics.ts";
import { WorkerProcess } from "../worker-process.ts";
import { Backlog } from "./backlog.ts";
import type { Contender } from "./contender.ts";
import { contenders, type MeasuredBroker } from "./contenders/index.ts";
import type { Measured } from "./meter.ts";
import type { ThroughputRow } from "./report.ts";
import type { WorkerRequest } from "./worker.ts";

/** A contender, and what was measured of it, round by round. */
export interface Series {
  readonly contender: Contender;
  readonly measured: Measured[];
}

export interface MeasureOptions {
  readonly messages: number;
  readonly window: number;
  readonly rounds: number;
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/** What one broker's contenders measured, and what did not hold. */
export interface BrokerResult {
  readonly rows: readonly ThroughputRow[];
  readonly failures: readonly string[];
}

/**
 * Measures every contender on one broker: all take turns within a round, so that whatever else the machine does meets
 * them alike, and each measurement has a process of its own, so that none runs on another's code or heap.
 */
export async function measureBroker(
  named: NamedRig<MeasuredBroker>,
  { messages, window, rounds, signal, progress }: MeasureOptions,
): Promise<BrokerResult> {
  const { name: broker, rig } = named;
  const warmUp = Math.ceil(messages / 4);
  const series = contenders[broker].map((contender): Series => ({ contender, measured: [] }));
  const failures: string[] = [];
  await using backlog = await Backlog.create(named);
  progress.start(rig.broker.padEnd(14), rounds * series.length);
  try {
    for (let round = 0; round < rounds; round++) {
      for (const [i, { contender, measured }] of series.entries()) {
        await backlog.fill(warmUp + messages, signal);
        const { variant } = contender;
        const request = { broker, variant, site: backlog.site, window, warmUp, messages };
        const found = await measureOnce(request, signal);
        measured.push(found);
        const more = found.handled - warmUp - messages;
        const counts = { more, left: await backlog.left() };
        failures.push(...failuresOf(`${rig.broker}, ${variant}`, counts));
        progress.advance(round * series.length + i + 1);
      }
    }
  } finally {
    progress.stop();
  }
  const { broker: product, brokerVersion, real } = rig;
  const rows = rowsOf(series, { broker: product, brokerVersion, real, messages });
  return { rows, failures };
}

/** What did not hold, one sentence each. */
export function failuresOf(
  where: string,
  { more, left }: { readonly more: number; readonly left: number },
): string[] {
  const failures: string[] = [];
  if (more > 0) failures.push(`${where}: ${formatCount(more)} messages handled twice.`);
  if (left > 0) failures.push(`${where}: ${formatCount(left)} messages left on the broker.`);
  return failures;
}

async function measureOnce(request: WorkerRequest, signal: AbortSignal): Promise<Measured> {
  await using process = new WorkerProcess<WorkerRequest, Measured>({
    name: `${request.variant} on ${request.broker}`,
    script: new URL("./worker.js", import.meta.url),
    signal,
  });
  return await process.ask(request);
}

/** A row for each series. The first is the raw loop. */
export function rowsOf(
  series: readonly Series[],
  about: Pick<ThroughputRow, "broker" | "brokerVersion" | "real" | "messages">,
): ThroughputRow[] {
  const raw = series[0]?.measured ?? [];
  return series.map(({ contender: { variant, client }, measured }) => {
    const medianOf = (figure: (one: Measured) => number): number => median(measured.map(figure));
    const overRaw = (figure: (one: Measured) => number): number =>
      median(measured.map((one, round) => figure(one) / figure(raw[round] as Measured)));
    return {
      ...about,
      variant,
      client,
      perSecond: medianOf((one) => one.perSecond),
      cpuUsPerMessage: medianOf((one) => one.cpuUsPerMessage),
      overRaw: overRaw((one) => one.perSecond),
      cpuOverRaw: overRaw((one) => one.cpuUsPerMessage),
      residentBytes: {
        before: medianOf((one) => one.residentBytes.before),
        peak: medianOf((one) => one.residentBytes.peak),
      },
    };
  });
}
