import { formatCount, formatFactor, formatMs } from "../format.ts";
import type { Target } from "../target.ts";
import { ownBroker } from "./broker.ts";
import type { SyncReport, SyncRun } from "./report.ts";

const published = { subscriptions: 40_000, rate: 20_000 };
const mostMB = 200;
const saturation = 200_000;

/** What our own broker is held to: at the published rate, and as fast as it can. */
export function targetsOf({ params, runs }: SyncReport): Target[] {
  if (params.subscriptions !== published.subscriptions) return [];
  const batched = runs.filter(({ broker, mode }) => broker === ownBroker && mode === "batched");
  if (params.rate === published.rate) return batched.flatMap(atPublishedRate);
  if (params.rate > 0) return [];
  return batched.flatMap((run) => [
    fastEnough(run),
    ...runs.filter(({ mode, side }) => mode === "single" && side === run.side).map(against(run)),
  ]);
}

function atPublishedRate({ side, perSecond, latencyMs, rssMB }: SyncRun): Target[] {
  const { p50, p99 } = latencyMs;
  return [
    {
      text: `batched, ${side}: ${formatCount(perSecond)} changes a second are mirrored (target: ${formatCount(published.rate)}, within 1%)`,
      reached: perSecond >= published.rate * 0.99,
    },
    {
      text: `batched, ${side}: latency ${formatMs(p50)} at P50 and ${formatMs(p99)} at P99 (target: 1.5 ms and 8 ms at most)`,
      reached: p50 <= 1.5 && p99 <= 8,
    },
    {
      text: `batched, ${side}: ${rssMB.toFixed(0)} MB resident (target: ${mostMB} at most)`,
      reached: rssMB <= mostMB,
    },
  ];
}

function fastEnough({ side, perSecond }: SyncRun): Target {
  return {
    text: `batched, ${side}: ${formatCount(perSecond)} changes a second are mirrored (target: ${formatCount(saturation)} at least)`,
    reached: perSecond >= saturation,
  };
}

function against({ side, perSecond }: SyncRun): (single: SyncRun) => Target {
  return (single) => {
    const factor = perSecond / single.perSecond;
    const where = single.broker === ownBroker ? "" : ` with ${single.broker}`;
    return {
      text: `batched, ${side}: ${formatFactor(factor)} as many as one at a time${where} (target: 10× at least)`,
      reached: factor >= 10,
    };
  };
}
