/** True for promises and for whatever else can be awaited. Throws where the `then` of a value does when it is read. */
export const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  ((typeof value === "object" && value !== null) || typeof value === "function") &&
  typeof (value as PromiseLike<unknown>).then === "function";
