import { within } from "@lab/core/adapter";
import type { Cluster, Kafka } from "kafkajs";

// None of this is part of kafkajs's types: if it is elsewhere, kafkajs closes as slowly as it does.

/** Where kafkajs keeps its sockets. */
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

/** The same client, but it tells of the connections that it makes: those of a producer can be had in no other way. */
export function telling(kafka: Kafka, tell: (cluster: Cluster) => void): Kafka {
  const symbol = Object.getOwnPropertySymbols(kafka).find(
    ({ description }) => description === "private:Kafka:createCluster",
  );
  if (symbol === undefined) return kafka;
  const create: (options: unknown) => Cluster = Reflect.get(kafka, symbol);
  const value = (options: unknown): Cluster => {
    const cluster = create(options);
    tell(cluster);
    return cluster;
  };
  return Object.create(kafka, { [symbol]: { value } });
}

/** Cuts the connections of a client until it is gone: as often as it connects again. */
export async function cutUntil(
  gone: Promise<unknown>,
  cluster: () => Cluster | undefined,
): Promise<void> {
  let done = false;
  void gone.then(() => {
    done = true;
  });
  for (;;) {
    await within(100, gone);
    if (done) return;
    const connected = cluster();
    if (connected !== undefined) cutConnections(connected);
  }
}

/**
 * Cuts every connection of a client. Before it closes one, kafkajs waits for the answer to what it has sent, for up to
 * `requestTimeout`: too long where brokers do not answer.
 */
function cutConnections(cluster: Cluster): void {
  const { brokerPool } = cluster as Inside;
  const brokers = [brokerPool?.seedBroker, ...Object.values(brokerPool?.brokers ?? {})];
  for (const broker of brokers) {
    for (const { socket } of broker?.connectionPool?.pool ?? []) {
      socket?.destroy(new Error("The connection was closed, as the broker does not answer"));
    }
  }
}
