import { setTimeout as sleep } from "node:timers/promises";

/** Waits for what must become true, for `limit` ms at most. */
export async function eventually(
  what: string | (() => string),
  check: () => boolean | Promise<boolean>,
  limit = 20_000,
): Promise<void> {
  const deadline = performance.now() + limit;
  while (!(await check())) {
    if (performance.now() > deadline) {
      throw new Error(`Not within ${limit} ms: ${typeof what === "string" ? what : what()}`);
    }
    await sleep(5);
  }
}
