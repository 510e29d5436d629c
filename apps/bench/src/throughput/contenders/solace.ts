import { solaceSubscriber } from "@lab/solace";
import { sessionAddress, solace } from "@lab/testbed/rigs";
import { type Contender, ours, type Work } from "../contender.ts";

/** As many as the client reads ahead at most. */
const readAhead = ({ window }: Work): number => Math.min(window, 255);

function sessionFor({ url }: Work, defaults: object = {}): solace.Session {
  const properties = { ...defaults, ...sessionAddress(url) };
  return solace.SolclientFactory.createSession(properties as solace.SessionProperties);
}

const plain: Contender = {
  variant: "acknowledged after the handler",
  client: "solclientjs@10.18.3",
  async consume(work) {
    const { source, handler, finished } = work;
    const session = sessionFor(work);
    await heard(session, solace.SessionEventCode.UP_NOTICE, () => session.connect());
    const consumer = session.createMessageConsumer({
      queueDescriptor: new solace.QueueDescriptor({
        name: source,
        type: solace.QueueType.QUEUE,
        durable: true,
      }),
      acknowledgeMode: solace.MessageConsumerAcknowledgeMode.CLIENT,
      windowSize: readAhead(work),
    });
    const { MESSAGE, DOWN, DOWN_ERROR } = solace.MessageConsumerEventName;
    const failed = new Promise<never>((_, reject) => {
      consumer.on(DOWN_ERROR, ({ message }) => reject(new Error(message)));
    });
    consumer.on(MESSAGE, async (message) => {
      await handler(message.getBinaryAttachment() as Uint8Array);
      message.acknowledge();
    });
    consumer.connect();
    await Promise.race([finished, failed]);
    await new Promise(setImmediate); // For the acknowledgement of the last.
    await new Promise<void>((resolve) => {
      consumer.on(DOWN, () => resolve());
      consumer.disconnect(); // Behind the acknowledgements.
    });
    await heard(session, solace.SessionEventCode.DISCONNECTED, () => session.disconnect());
    session.dispose();
  },
};

function heard(
  session: solace.Session,
  event: solace.SessionEventCode,
  act: () => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    session.on(event, () => resolve());
    session.on(solace.SessionEventCode.CONNECT_FAILED_ERROR, ({ message }) => {
      reject(new Error(message));
    });
    act();
  });
}

export const solaceContenders: readonly Contender[] = [
  plain,
  ours("consume", (work) =>
    solaceSubscriber({
      solace,
      readAhead: readAhead(work),
      connect: (defaults) => sessionFor(work, defaults),
    }),
  ),
];
