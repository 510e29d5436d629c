import type { Broker, Cluster } from "kafkajs";

/** What brokers of kafkajs can do beside what their type says. */
interface Asked extends Broker {
  findGroupCoordinator?(request: { groupId: string; coordinatorType: number }): Promise<unknown>;
}

/** @throws what a broker says, as kafkajs says no more than that it found none: most of all that the group is forbidden */
export async function findCoordinator(cluster: Cluster, groupId: string): Promise<Broker> {
  try {
    return await cluster.findGroupCoordinator({ groupId });
  } catch (thrown) {
    for (const nodeId of cluster.getNodeIds()) {
      const broker: Asked = await cluster.findBroker({ nodeId: `${nodeId}` });
      await broker.findGroupCoordinator?.({ groupId, coordinatorType: 0 });
    }
    throw thrown;
  }
}
