import { setTimeout as sleep } from "node:timers/promises";

/**
 * Waits until `condition` holds. Looks once more after the deadline, so that a machine that stood still is not blamed.
 * @throws {Error} saying what was awaited and, by `seen`, what was there instead
 */
export async function until(
  what: string,
  deadline: number,
  condition: () => boolean,
  seen: () => string,
): Promise<void> {
  const end = performance.now() + deadline;
  for (;;) {
    const late = performance.now() > end;
    if (condition()) return;
    if (late) throw new Error(`Waited ${deadline} ms for ${what}; saw ${seen()}.`);
    await sleep(2);
  }
}

/** The promise's result, if it comes in time. @throws {Error} saying what was awaited */
export async function within<T>(what: string, deadline: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Waited ${deadline} ms for ${what}.`)), deadline);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
