/** One run of the handler, as measured. */
export interface Handled {
  readonly key: number;
  /** From the start of the handler to its end, in ms. */
  readonly ms: number;
}

export interface Bound {
  /** All handler times together, in ms. */
  readonly handlerMs: number;
  /**
   * No schedule is faster: the larger of an even share of the work for each lane and the longest chain of one key,
   * which has to be handled one after the other. In ms.
   */
  readonly boundMs: number;
}

export function lowerBound(handled: Iterable<Handled>, lanes: number): Bound {
  const chains = new Map<number, number>();
  let handlerMs = 0;
  let longestChain = 0;
  for (const { key, ms } of handled) {
    const chain = (chains.get(key) ?? 0) + ms;
    chains.set(key, chain);
    handlerMs += ms;
    longestChain = Math.max(longestChain, chain);
  }
  return { handlerMs, boundMs: Math.max(handlerMs / lanes, longestChain) };
}
