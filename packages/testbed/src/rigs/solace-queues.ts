import { setTimeout as sleep } from "node:timers/promises";
import type { SolaceTestBroker } from "@lab/solace-testbroker";
import { connectSession, endSession, sessionAddress, solace } from "../solclient.ts";

/** How long the broker may take over one thing, in ms. */
const limit = 10_000;

/** How long nothing has to come for a queue to count as empty, in ms. */
const quiet = 300;

export interface QueueWishes {
  readonly maxMessageSize: number;
  readonly maxRedelivery: number;
}

/** The queues of a rig. */
export interface SolaceQueues {
  create(name: string, wishes: QueueWishes): Promise<void>;
  /** Takes out all that the queue holds; says how many messages it was. Called when no consumer is bound. */
  purge(name: string): Promise<number>;
  delete(name: string): Promise<void>;
}

/** What only an administrator can ask for. */
export interface AdministeredQueue {
  /** @default 0: not partitioned */
  readonly partitions?: number;
  /** @default false */
  readonly deliveryCount?: boolean;
}

/** Queues of the test double, made and emptied from inside. */
export function testBrokerQueues(
  broker: SolaceTestBroker,
  options: AdministeredQueue = {},
): SolaceQueues {
  return {
    create: async (name, wishes) =>
      broker.createQueue(name, { ...options, ...wishes, access: "non-exclusive" }),
    purge: async (name) => {
      const deadline = performance.now() + limit;
      while (broker.depth(name).consumers > 0) {
        if (performance.now() > deadline) throw new Error(`"${name}" still has consumers`);
        await sleep(5);
      }
      return broker.purge(name);
    },
    delete: async (name) => broker.deleteQueue(name),
  };
}

/** Queues of any broker, made and emptied with the client alone. The user needs the right to create endpoints. */
export function clientQueues(url: string): SolaceQueues {
  return {
    create: (name, { maxMessageSize, maxRedelivery }) =>
      provision(url, (session, key) =>
        session.provisionEndpoint(
          descriptor(name),
          {
            accessType: solace.QueueAccessType.NONEXCLUSIVE,
            permissions: solace.QueuePermissions.DELETE,
            maxMessageSize,
            maxMessageRedelivery: maxRedelivery,
          },
          false,
          key,
        ),
      ),
    purge: (name) => drain(url, name),
    delete: (name) =>
      provision(url, (session, key) => session.deprovisionEndpoint(descriptor(name), true, key)),
  };
}

function descriptor(name: string): solace.QueueDescriptor {
  return new solace.QueueDescriptor({ name, type: solace.QueueType.QUEUE, durable: true });
}

async function provision(
  url: string,
  ask: (session: solace.Session, key: string) => void,
): Promise<void> {
  const session = await connectSession(sessionAddress(url), limit);
  const code = solace.SessionEventCode;
  try {
    await new Promise<void>((resolve, reject) => {
      session.on(code.PROVISION_OK, () => resolve());
      session.on(code.PROVISION_ERROR, ({ infoStr }) => reject(new Error(infoStr)));
      ask(session, "key");
    });
  } finally {
    await endSession(session);
  }
}

/** Consumes until nothing comes any more: there is no other way for a client to empty a queue. */
async function drain(url: string, name: string): Promise<number> {
  const session = await connectSession(sessionAddress(url), limit);
  const event = solace.MessageConsumerEventName;
  let count = 0;
  let last = performance.now();
  try {
    const consumer = session.createMessageConsumer({
      queueDescriptor: descriptor(name),
      acknowledgeMode: solace.MessageConsumerAcknowledgeMode.CLIENT,
    });
    consumer.on(event.MESSAGE, (message) => {
      count++;
      last = performance.now();
      message.acknowledge();
    });
    await new Promise<void>((resolve, reject) => {
      consumer.on(event.UP, () => resolve());
      consumer.on(event.CONNECT_FAILED_ERROR, ({ message }) => reject(new Error(message)));
      consumer.connect();
    });
    while (performance.now() - last < quiet) await sleep(quiet / 10);
    await new Promise<void>((resolve) => {
      consumer.on(event.DOWN, () => resolve());
      consumer.disconnect();
    });
    return count;
  } finally {
    await endSession(session);
  }
}
