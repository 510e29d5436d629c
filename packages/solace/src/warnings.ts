const given = new Set<string>();

/** Once a process and queue. `node --disable-warning=LAB_SOLACE_DELIVERY_COUNT` silences it. */
export function warnOfNoDeliveryCount(source: string): void {
  if (given.has(source)) return;
  given.add(source);
  process.emitWarning(
    `"${source}" does not count deliveries, so \`deliveryCount\` stays undefined. Enable its delivery count at the broker, or ` +
      "leave `deliveryCount: true` out.",
    { code: "LAB_SOLACE_DELIVERY_COUNT" },
  );
}
