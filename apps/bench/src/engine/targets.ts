import { formatBytes, formatCount, formatFactor } from "../format.ts";
import type { Target } from "../target.ts";
import { consumeOnMemory, keyedLanes } from "./own.ts";
import { peers } from "./peers.ts";
import type { EngineReport, EngineRow } from "./report.ts";

const fewKeys = 1_000;
const manyKeys = 1_000_000;

/** What garbage may take before it is collected, however long the backlog is. */
const flatWithin = 48 * 1024 ** 2;

/** Shorter measurements are of code that is still being compiled. */
const enoughMessages = 1_000_000;

/** What the engine is held to. None where the measurements are too short to tell. */
export function targetsOf({ params, rows, residentBytes }: EngineReport): Target[] {
  if (params.messages < enoughMessages) return [];
  const row = (name: string, keys: number): EngineRow | undefined =>
    rows.find((one) => one.name === name && one.keys === keys);
  const few = row(keyedLanes.name, fewKeys);
  const many = row(keyedLanes.name, manyKeys);
  const whole = row(consumeOnMemory.name, fewKeys);
  const targets: Target[] = [];
  if (few !== undefined) {
    targets.push({
      text: `keyed lanes at 1,000 keys take ${formatFactor(few.overBareAwait)} a bare await (target: 2.5× at most)`,
      reached: few.overBareAwait <= 2.5,
    });
    targets.push({
      text: `they allocate ${formatCount(few.bytesPerMessage)} bytes a message (target: 200 at most)`,
      reached: few.bytesPerMessage <= 200,
    });
  }
  const lead = Math.min(...params.keys.flatMap((keys) => leadOverPeers(rows, keys) ?? []));
  if (Number.isFinite(lead)) {
    targets.push({
      text: `the fastest peer takes ${formatFactor(lead)} as long or more, whatever the number of keys (target: above 1×)`,
      reached: lead > 1,
    });
  }
  if (few !== undefined && many !== undefined) {
    const growth = many.nsPerMessage / few.nsPerMessage;
    targets.push({
      text: `1,000,000 keys take ${formatFactor(growth)} as long as 1,000 (target: 1.3× at most)`,
      reached: growth <= 1.3,
    });
  }
  if (whole !== undefined) {
    const rate = 1e9 / whole.nsPerMessage;
    targets.push({
      text: `consume on memory handles ${formatCount(rate)} messages a second (target: 1,000,000)`,
      reached: rate >= 1e6,
    });
    const { before, peak } = residentBytes;
    targets.push({
      text: `over a backlog of ${formatCount(whole.messages)} ${formatBytes(before)} are resident before, ${formatBytes(peak)} at most meanwhile (target: flat)`,
      reached: peak <= before + flatWithin,
    });
  }
  return targets;
}

/** How many times as long as keyed lanes the fastest peer takes. */
function leadOverPeers(rows: readonly EngineRow[], keys: number): number | undefined {
  const ofKeys = rows.filter((row) => row.keys === keys);
  const keyed = ofKeys.find(({ name }) => name === keyedLanes.name);
  const others = ofKeys.filter((row) => peers.some(({ name }) => name === row.name));
  if (keyed === undefined || others.length === 0) return undefined;
  return Math.min(...others.map(({ nsPerMessage }) => nsPerMessage)) / keyed.nsPerMessage;
}
