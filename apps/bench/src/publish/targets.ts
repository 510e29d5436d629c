import { formatFactor } from "../format.ts";
import type { Target } from "../target.ts";
import { type PublishReport, type PublishRow, rowName } from "./report.ts";

interface Bar {
  readonly name: string;
  readonly counts: (row: PublishRow) => boolean;
  readonly least: number;
}

const inBatches = ({ variant }: PublishRow): boolean => variant === "batch";

/** By the name that `--brokers` has for it. */
const bars: Readonly<Record<string, Bar>> = {
  amqp: { name: "AMQP", counts: (row) => inBatches(row) && row.batch === 100, least: 17 },
  mqtt: { name: "MQTT", counts: inBatches, least: 10 },
};

/** What the publishers are held to, on the brokers that were measured: their rows come in that order. */
export function targetsOf({ params, rows }: PublishReport): Target[] {
  const products = [...new Set(rows.map(({ broker }) => broker))];
  return params.brokers.flatMap((name, i): Target[] => {
    const bar = bars[name];
    const [best] = rows
      .filter((row) => row.broker === products[i] && bar?.counts(row) === true)
      .toSorted((a, b) => b.overAwaited - a.overAwaited);
    if (bar === undefined || best === undefined) return [];
    const factor = formatFactor(best.overAwaited);
    return [
      {
        text: `${bar.name}: ${rowName(best)} ${factor} as fast as awaited (target: ${bar.least}× at least)`,
        reached: best.overAwaited >= bar.least,
      },
    ];
  });
}
