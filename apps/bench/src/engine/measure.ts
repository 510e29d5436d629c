import type { Progress } from "../progress.ts";
import { median } from "../statistics.ts";
import type { Contender } from "./contender.ts";
import { contenders } from "./contenders.ts";
import { bareAwait, consumeOnMemory } from "./own.ts";
import { allocatedPerMessage, TimingProcesses } from "./processes.ts";
import type { WorkerResponse } from "./protocol.ts";
import type { EngineParams, EngineReport, EngineRow } from "./report.ts";

/** Messages whose allocations are counted: few enough for a young generation that is never collected. */
const countedMessages = 100_000;

export interface MeasureHooks {
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/**
 * Measures every contender in a process of its own. The processes live throughout and take turns, round by round, so
 * that whatever else the machine does meets all of them alike.
 */
export async function measureEngines(
  params: EngineParams,
  { signal, progress }: MeasureHooks,
): Promise<Pick<EngineReport, "rows" | "residentBytes">> {
  await using processes = new TimingProcesses(signal);
  const rows: EngineRow[] = [];
  let done = 0;
  let ofConsume: WorkerResponse | undefined;
  progress.start("measuring", params.keys.length * (params.rounds + 1) * contenders.length);
  try {
    for (const keys of params.keys) {
      const times = new Map<Contender, number[]>(contenders.map((contender) => [contender, []]));
      for (let round = 0; round < params.rounds; round++) {
        for (const contender of contenders) {
          const request = { keys, messages: params.messages };
          const response = await processes.measure(contender, request);
          times.get(contender)?.push(response.nsPerMessage);
          if (contender === consumeOnMemory) ofConsume = response;
          progress.advance(++done);
        }
      }
      for (const contender of contenders) {
        const messages = Math.min(countedMessages, params.messages);
        const bytes = await allocatedPerMessage(contender, { keys, messages }, signal);
        rows.push(rowOf(contender, keys, params.messages, times, bytes));
        progress.advance(++done);
      }
    }
  } finally {
    progress.stop();
  }
  const residentBytes = { before: ofConsume?.rss ?? 0, peak: ofConsume?.peakRss ?? 0 };
  return { rows, residentBytes };
}

function rowOf(
  contender: Contender,
  keys: number,
  messages: number,
  times: ReadonlyMap<Contender, readonly number[]>,
  bytesPerMessage: number,
): EngineRow {
  const { name, peer } = contender;
  const measured = times.get(contender) ?? [];
  const bare = times.get(bareAwait) ?? [];
  return {
    name,
    peer,
    keys,
    messages,
    nsPerMessage: median(measured),
    overBareAwait: median(measured.map((ns, round) => ns / (bare[round] ?? Number.NaN))),
    bytesPerMessage,
  };
}
