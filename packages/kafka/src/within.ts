/** Waits for a promise that never rejects, but no longer than that, in ms. */
export async function within(limit: number, promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limit);
  });
  await Promise.race([promise, late]);
  clearTimeout(timer);
}
