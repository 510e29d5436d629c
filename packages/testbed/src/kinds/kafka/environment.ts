/**
 * The URL for what `KAFKA_BROKERS` holds: `kafka://user:password@host:9092`, or `host:9092,host2:9092` as Kafka's own
 * tools take it. The latter with `KAFKA_TLS=1`, `KAFKA_USERNAME`, `KAFKA_PASSWORD` and `KAFKA_SASL_MECHANISM` (plain,
 * scram-sha-256 or scram-sha-512) beside it, where they are needed.
 */
export function urlOfBrokers(value: string): string {
  if (value.includes("://")) return value;
  const { KAFKA_TLS, KAFKA_USERNAME, KAFKA_PASSWORD = "", KAFKA_SASL_MECHANISM } = process.env;
  const [first, ...others] = value.split(",").map((broker) => broker.trim());
  const user =
    KAFKA_USERNAME === undefined
      ? ""
      : `${encodeURIComponent(KAFKA_USERNAME)}:${encodeURIComponent(KAFKA_PASSWORD)}@`;
  const query = new URLSearchParams({
    ...(KAFKA_SASL_MECHANISM !== undefined && { mechanism: KAFKA_SASL_MECHANISM }),
    ...(others.length > 0 && { brokers: others.join(",") }),
  }).toString();
  return `${KAFKA_TLS === "1" ? "kafkas" : "kafka"}://${user}${first}${query && `?${query}`}`;
}
