import { setTimeout as sleep } from "node:timers/promises";

export { Inbox } from "@lab/testbed/testing";

/** Waits for what must become true. */
export async function eventually(
  check: () => boolean | Promise<boolean>,
  what: () => string,
  limit = 20_000,
): Promise<void> {
  const deadline = performance.now() + limit;
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error(`Not within ${limit} ms: ${what()}`);
    await sleep(5);
  }
}
