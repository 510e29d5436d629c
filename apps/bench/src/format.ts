/** Figures as people read them, the same on the terminal and in the page. */

const grouped = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });

/** A time in ms, with three digits or so: `8.31 ms`, `452 ms`, `12.71 s`. */
export function formatMs(ms: number): string {
  if (ms < 0.0995) return `${ms.toFixed(3)} ms`;
  if (ms < 9.995) return `${ms.toFixed(2)} ms`;
  if (ms < 99.95) return `${ms.toFixed(1)} ms`;
  if (ms < 999.5) return `${ms.toFixed(0)} ms`;
  return `${(ms / 1000).toFixed(2)} s`;
}

export function formatRate(perSecond: number): string {
  return `${perSecond < 99.95 ? perSecond.toFixed(1) : grouped.format(perSecond)}/s`;
}

export function formatFactor(factor: number | null): string {
  if (factor === null) return "–";
  return `${factor.toFixed(factor < 9.995 ? 2 : 1)}×`;
}

export function formatOverBound(factor: number): string {
  return `${factor.toFixed(3)}×`;
}

export function formatCount(count: number): string {
  return grouped.format(count);
}

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes.toFixed(0)} B`;
  if (bytes < 1024 ** 2) return `${(bytes / 1024).toFixed(1)} KiB`;
  if (bytes < 1024 ** 3) return `${(bytes / 1024 ** 2).toFixed(0)} MiB`;
  return `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
}
