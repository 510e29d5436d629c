import type { Progress } from "../progress.ts";
import { median } from "../statistics.ts";
import type { Contender } from "./contender.ts";
import { contenders } from "./contenders.ts";
import { bareAwait } from "./own.ts";
import { allocatedPerMessage, residentBytes, TimingProcesses } from "./processes.ts";
import type { EngineParams, EngineReport, EngineRow } from "./report.ts";

/** Messages whose allocations are counted: few enough for a young generation that is never collected. */
const countedMessages = 100_000;

/** A contender with a number of keys, and its time per message in ns, round by round. */
interface Series {
  readonly contender: Contender;
  readonly keys: number;
  readonly ns: number[];
}

/** Measures every contender with every number of keys. */
export async function measureEngines(
  params: EngineParams,
  signal: AbortSignal,
  progress: Progress,
): Promise<Pick<EngineReport, "rows" | "residentBytes">> {
  const series = seriesOf(params.keys);
  progress.start("measuring", series.length * (params.rounds + 1));
  try {
    await takeTimes(series, params, signal, progress);
    const rows: EngineRow[] = [];
    for (const one of series) {
      rows.push(await rowOf(one, series, params.messages, signal));
      progress.advance(series.length * params.rounds + rows.length);
    }
    return { rows, residentBytes: await residentBytes(params.messages, signal) };
  } finally {
    progress.stop();
  }
}

function seriesOf(keyCounts: readonly number[]): Series[] {
  return keyCounts.flatMap((keys) => contenders.map((contender) => ({ contender, keys, ns: [] })));
}

/**
 * Each contender in a process of its own, so that none runs on code that was compiled for another. The processes live
 * throughout and take turns, round by round, so that whatever else the machine does meets all of them alike.
 */
async function takeTimes(
  series: readonly Series[],
  { rounds, messages }: EngineParams,
  signal: AbortSignal,
  progress: Progress,
): Promise<void> {
  await using processes = new TimingProcesses(signal);
  for (let round = 0; round < rounds; round++) {
    for (const [i, { contender, keys, ns }] of series.entries()) {
      const { nsPerMessage } = await processes.measure(contender, { keys, messages });
      ns.push(nsPerMessage);
      progress.advance(series.length * round + i + 1);
    }
  }
}

async function rowOf(
  { contender, keys, ns }: Series,
  series: readonly Series[],
  messages: number,
  signal: AbortSignal,
): Promise<EngineRow> {
  const counted = Math.min(countedMessages, messages);
  const bare = series.find((one) => one.contender === bareAwait && one.keys === keys)?.ns ?? [];
  return {
    name: contender.name,
    peer: contender.peer,
    keys,
    messages,
    nsPerMessage: median(ns),
    overBareAwait: median(ns.map((one, round) => one / (bare[round] ?? Number.NaN))),
    bytesPerMessage: await allocatedPerMessage(contender, { keys, messages: counted }, signal),
  };
}
