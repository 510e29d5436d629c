import type { KafkaConfig, SASLOptions } from "kafkajs";
import type { Target } from "../../target.ts";

/** Where the brokers are, and as whom to connect to them, as kafkajs takes it. `ca`: PEM of what to trust. */
export function configOf(
  { host, port, tls, credentials, path = "" }: Target,
  ca: string | undefined,
): Pick<KafkaConfig, "brokers" | "ssl" | "sasl"> {
  const query = new URLSearchParams(path.replace(/^[^?]*/, ""));
  const others = query.get("brokers")?.split(",") ?? [];
  const mechanism = query.get("mechanism") ?? "plain";
  return {
    brokers: [`${host}:${port}`, ...others],
    ...(tls && { ssl: ca === undefined ? true : { ca: [ca] } }),
    ...(credentials && { sasl: { mechanism, ...credentials } as SASLOptions }),
  };
}
