import { brokers, type NamedRig, type PublishBroker } from "../brokers.ts";
import { formatCount } from "../format.ts";
import type { Progress } from "../progress.ts";
import { median } from "../statistics.ts";
import { WorkerProcess } from "../worker-process.ts";
import { type PublishRow, rowName } from "./report.ts";
import type { Measured, WorkerRequest } from "./worker.ts";

export interface MeasureOptions {
  readonly seconds: number;
  readonly rounds: number;
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/** Measures every variant on one broker. */
export async function measureBroker(
  { name, rig }: NamedRig<PublishBroker>,
  { seconds, rounds, signal, progress }: MeasureOptions,
): Promise<{ rows: readonly PublishRow[]; failures: readonly string[] }> {
  const variable = brokers.find((one) => one.name === name)?.urlVariable;
  const env = variable === undefined || rig.url === undefined ? {} : { [variable]: rig.url };
  const measured: (readonly Measured[])[] = [];
  progress.start(rig.broker.padEnd(18), rounds);
  try {
    for (let round = 0; round < rounds; round++) {
      await using process = new WorkerProcess<WorkerRequest, Measured[]>({
        name: `publishing to ${rig.broker}`,
        script: new URL("./worker.js", import.meta.url),
        env,
        signal,
      });
      measured.push(await process.ask({ broker: name, seconds }));
      progress.advance(round + 1);
    }
  } finally {
    progress.stop();
  }
  return {
    rows: rowsOf(measured, rig),
    failures: measured.flatMap((round) => failuresOf(rig.broker, round)),
  };
}

/** A row for each variant, of what each round has measured of it. The first is one message at a time, awaited. */
export function rowsOf(
  rounds: readonly (readonly Measured[])[],
  { broker, brokerVersion, real }: Pick<PublishRow, "broker" | "brokerVersion" | "real">,
): PublishRow[] {
  const rate = (round: readonly Measured[], index: number): number =>
    round[index]?.perSecond ?? Number.NaN;
  return (rounds[0] ?? []).map(({ variant, batch, client }, index) => ({
    broker,
    brokerVersion,
    real,
    variant,
    batch,
    client,
    perSecond: median(rounds.map((round) => rate(round, index))),
    overAwaited: median(rounds.map((round) => rate(round, index) / rate(round, 0))),
  }));
}

/** What did not hold in a round, one sentence each. */
export function failuresOf(broker: string, round: readonly Measured[]): string[] {
  return round
    .filter(({ lost }) => lost > 0)
    .map(
      (measured) =>
        `${broker}, ${rowName(measured)}: ${formatCount(measured.lost)} confirmed messages are missing.`,
    );
}
