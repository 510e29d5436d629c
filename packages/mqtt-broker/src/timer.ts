/** Longer than this, Node's timers fire at once. */
export const longestTimer: number = 2 ** 31 - 1;

/** A timer without that limit, which keeps no process alive. Returns how to cancel it. */
export function after(ms: number, action: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = (left: number): void => {
    timer = setTimeout(
      () => (left > longestTimer ? wait(left - longestTimer) : action()),
      Math.min(left, longestTimer),
    ).unref();
  };
  wait(ms);
  return () => clearTimeout(timer);
}
