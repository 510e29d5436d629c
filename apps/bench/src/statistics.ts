/** The nearest-rank percentile of ascending values: the smallest that `share` of them do not exceed. */
export function percentile(ascending: ArrayLike<number>, share: number): number {
  const rank = Math.max(1, Math.ceil(ascending.length * share));
  return ascending[rank - 1] ?? 0;
}

export function median(values: readonly number[]): number {
  const ascending = Float64Array.from(values).sort();
  const middle = ascending.length >> 1;
  const upper = ascending[middle] ?? 0;
  return ascending.length % 2 === 1 ? upper : ((ascending[middle - 1] ?? 0) + upper) / 2;
}
