import { formatCount, formatFactor, formatMs } from "../format.ts";
import type { Target } from "../target.ts";
import type { SyncReport, SyncRun } from "./report.ts";

const published = { subscriptions: 40_000, rate: 20_000 };
const mostMB = 200;
const saturation = 200_000;

/** What our own broker is held to: at the published rate, and as fast as it can. */
export function targetsOf({ params, runs }: SyncReport): Target[] {
  if (params.broker !== "lab" || params.subscriptions !== published.subscriptions) return [];
  if (params.rate === published.rate) return runs.filter(isBatched).flatMap(atPublishedRate);
  return params.rate === 0 ? atSaturation(runs) : [];
}

const isBatched = ({ mode }: SyncRun): boolean => mode === "batched";

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

function atSaturation(runs: readonly SyncRun[]): Target[] {
  return runs.filter(isBatched).flatMap(({ side, perSecond }): Target[] => {
    const single = runs.find((run) => run.mode === "single" && run.side === side);
    const rate: Target = {
      text: `batched, ${side}: ${formatCount(perSecond)} changes a second are mirrored (target: ${formatCount(saturation)} at least)`,
      reached: perSecond >= saturation,
    };
    if (single === undefined) return [rate];
    const factor = perSecond / single.perSecond;
    return [
      rate,
      {
        text: `batched, ${side}: ${formatFactor(factor)} as many as one at a time (target: 10× at least)`,
        reached: factor >= 10,
      },
    ];
  });
}
