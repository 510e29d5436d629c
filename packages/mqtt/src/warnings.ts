const given = new Set<string>();

/** Once a process. `node --disable-warning=LAB_MQTT_SHARED_ORDER` silences it. */
export function warnOfSharedOrder(source: string): void {
  warnOnce(
    "LAB_MQTT_SHARED_ORDER",
    `"${source}" is a shared subscription: with more than one member the broker spreads the messages of a key over ` +
      "all of them, and their order is lost. For keyed order keep one active member per group, or partition the topics.",
  );
}

/** An older subscription of the session asked for QoS 2, or messages had been queued for it. */
export function warnOfQos2(topic: string): void {
  warnOnce(
    "LAB_MQTT_QOS_2",
    `A QoS 2 message came on "${topic}", from an earlier subscription of the session. Its handshake is over before ` +
      "the handler has run, so a crash loses it. Unsubscribe what asked for QoS 2, or use a new client id.",
  );
}

function warnOnce(code: string, text: string): void {
  if (given.has(code)) return;
  given.add(code);
  process.emitWarning(text, { code });
}
