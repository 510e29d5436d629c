import type { Progress } from "../progress.ts";
import { median } from "../statistics.ts";
import type { Contender } from "./contender.ts";
import { contenders } from "./contenders.ts";
import { mqttContenders } from "./on-mqtt.ts";
import { bareAwait } from "./own.ts";
import { allocatedPerMessage, residentBytes, TimingProcesses } from "./processes.ts";
import type { EngineParams, EngineReport, EngineRow } from "./report.ts";
import type { WorkerOptions } from "./worker-process.ts";

/** Messages whose allocations are counted: few enough for a young generation that is never collected. */
const countedMessages = 100_000;

/** A network is slower: fewer messages will do, of one number of keys. */
const mqttMessages = 100_000;
const mqttCountedMessages = 20_000;
const mqttKeys = 1_000;

/** A contender with a number of keys, and its time per message in ns, round by round. */
interface Series {
  readonly contender: Contender;
  readonly keys: number;
  readonly messages: number;
  readonly countedMessages: number;
  readonly ns: number[];
}

/** Measures every contender with every number of keys; those on MQTT where there is a broker. */
export async function measureEngines(
  params: EngineParams,
  options: WorkerOptions,
  progress: Progress,
): Promise<Pick<EngineReport, "rows" | "residentBytes">> {
  const series = seriesOf(params, options.brokerUrl !== undefined);
  progress.start("measuring", series.length * (params.rounds + 1));
  try {
    await takeTimes(series, params.rounds, options, progress);
    const rows: EngineRow[] = [];
    for (const one of series) {
      rows.push(await rowOf(one, series, options));
      progress.advance(series.length * params.rounds + rows.length);
    }
    return { rows, residentBytes: await residentBytes(params.messages, options) };
  } finally {
    progress.stop();
  }
}

function seriesOf({ keys, messages }: EngineParams, withMqtt: boolean): Series[] {
  const everywhere = keys.flatMap((count) =>
    contenders.map(
      (contender): Series => ({
        contender,
        keys: count,
        messages,
        countedMessages: Math.min(countedMessages, messages),
        ns: [],
      }),
    ),
  );
  if (!withMqtt || !keys.includes(mqttKeys)) return everywhere;
  const onMqtt = mqttContenders.map(
    (contender): Series => ({
      contender,
      keys: mqttKeys,
      messages: Math.min(mqttMessages, messages),
      countedMessages: Math.min(mqttCountedMessages, messages),
      ns: [],
    }),
  );
  return everywhere.concat(onMqtt);
}

/**
 * Each contender in a process of its own, so that none runs on code that was compiled for another. The processes live
 * throughout and take turns, round by round, so that whatever else the machine does meets all of them alike.
 */
async function takeTimes(
  series: readonly Series[],
  rounds: number,
  options: WorkerOptions,
  progress: Progress,
): Promise<void> {
  await using processes = new TimingProcesses(options);
  for (let round = 0; round < rounds; round++) {
    for (const [i, { contender, keys, messages, ns }] of series.entries()) {
      const { nsPerMessage } = await processes.measure(contender, { keys, messages });
      ns.push(nsPerMessage);
      progress.advance(series.length * round + i + 1);
    }
  }
}

async function rowOf(
  { contender, keys, messages, countedMessages: counted, ns }: Series,
  series: readonly Series[],
  options: WorkerOptions,
): Promise<EngineRow> {
  const bare = series.find((one) => one.contender === bareAwait && one.keys === keys)?.ns ?? [];
  return {
    name: contender.name,
    peer: contender.peer,
    keys,
    messages,
    nsPerMessage: median(ns),
    overBareAwait: median(ns.map((one, round) => one / (bare[round] ?? Number.NaN))),
    bytesPerMessage: await allocatedPerMessage(contender, { keys, messages: counted }, options),
  };
}
