const given = new Set<string>();

/** Once a process and queue. `node --disable-warning=LAB_AMQP_CONSUMER_TIMEOUT` silences it. */
export function warnOfConsumerTimeout(source: string, consumerTimeout: number): void {
  if (given.has(source)) return;
  given.add(source);
  process.emitWarning(
    `A message of "${source}" has been unsettled for half of the broker's consumer timeout (${consumerTimeout} ms). ` +
      "The broker will close the channel, and deliver again what is in hand. The time counts from the delivery: keep window × " +
      "mean handler time ÷ lanes well below it, with a smaller `window` or more `lanes`, and do not leave keys halted.",
    { code: "LAB_AMQP_CONSUMER_TIMEOUT" },
  );
}
