import type { Cluster } from "kafkajs";

/** Where kafkajs keeps its sockets. Not part of its types: if they are elsewhere, it closes as slowly as it does. */
interface Inside {
  readonly brokerPool?: {
    readonly seedBroker?: BrokerInside;
    readonly brokers?: Readonly<Record<string, BrokerInside>>;
  };
}

interface BrokerInside {
  readonly connectionPool?: {
    readonly pool?: readonly { readonly socket?: { destroy(error: Error): void } }[];
  };
}

/**
 * Cuts every connection of a client. Before it closes one, kafkajs waits for the answer to what it has sent, for up to
 * `requestTimeout`: too long where brokers do not answer.
 */
export function cutConnections(cluster: Cluster): void {
  const { brokerPool } = cluster as Inside;
  const brokers = [brokerPool?.seedBroker, ...Object.values(brokerPool?.brokers ?? {})];
  for (const broker of brokers) {
    for (const { socket } of broker?.connectionPool?.pool ?? []) {
      socket?.destroy(new Error("The connection was closed, as the broker does not answer"));
    }
  }
}
