import type { PublishBroker } from "../brokers.ts";
import { formatFactor } from "../format.ts";
import type { Target } from "../target.ts";
import { byBroker, type PublishReport, type PublishRow, rowName } from "./report.ts";

interface Bar {
  readonly name: string;
  readonly counts: (row: PublishRow) => boolean;
  readonly least: number;
}

const inBatches = ({ variant }: PublishRow): boolean => variant === "batch";

const onMqtt: Bar = { name: "MQTT", counts: inBatches, least: 10 };

const bars: Readonly<Partial<Record<PublishBroker, Bar>>> = {
  amqp: { name: "AMQP", counts: (row) => inBatches(row) && row.batch === 100, least: 17 },
  mqtt: onMqtt,
  lab: onMqtt,
};

/** What the publishers are held to, on the brokers that were measured: their rows come in that order. */
export function targetsOf({ params, rows }: PublishReport): Target[] {
  const groups = byBroker(rows);
  return params.brokers.flatMap((name, i) => {
    const bar = bars[name];
    return bar === undefined ? [] : targetsOn(bar, groups[i] ?? []);
  });
}

function targetsOn({ name, counts, least }: Bar, rows: readonly PublishRow[]): Target[] {
  const where = `${name} on ${rows[0]?.broker}`;
  const targets: Target[] = [];
  const [best] = rows.filter(counts).toSorted((a, b) => b.overAwaited - a.overAwaited);
  if (best !== undefined) {
    targets.push({
      text: `${where}: ${rowName(best)} ${formatFactor(best.overAwaited)} as fast as awaited (target: ${least}× at least)`,
      reached: best.overAwaited >= least,
    });
  }
  const plain = rows.find(({ variant, batch }) => variant === "client" && batch > 1);
  const ours = rows.find((row) => inBatches(row) && row.batch === plain?.batch);
  if (plain !== undefined && ours !== undefined) {
    const factor = ours.perSecond / plain.perSecond;
    targets.push({
      text: `${where}: ${rowName(ours)} ${formatFactor(factor)} as fast as ${nameOf(plain)}'s (target: 1× at least)`,
      reached: factor >= 1,
    });
  }
  return targets;
}

/** npm calls it mqtt, people mqtt.js. */
function nameOf({ client }: PublishRow): string {
  const [name = ""] = client?.split("@") ?? [];
  return name === "mqtt" ? "mqtt.js" : name;
}
