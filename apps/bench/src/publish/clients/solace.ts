import { sessionAddress, solace } from "@lab/testbed/rigs";
import type { PlainClient } from "./client.ts";

const { SolclientFactory, SessionEventCode: code } = solace;

export const solaceClient: PlainClient = {
  client: "solclientjs@10.18.3",
  async connect(url, queue) {
    const session = SolclientFactory.createSession({
      ...sessionAddress(url),
      publisherProperties: {
        enabled: true,
        windowSize: 255, // The widest.
        acknowledgeMode: solace.MessagePublisherAcknowledgeMode.PER_MESSAGE,
      },
    } as solace.SessionProperties);
    let unconfirmed = 0;
    let confirmed = (): void => {};
    let failed = (_: Error): void => {};
    const fail = ({ infoStr }: solace.SessionEvent): void => failed(new Error(infoStr));
    session.on(code.ACKNOWLEDGED_MESSAGE, () => {
      if (--unconfirmed === 0) confirmed();
    });
    session.on(code.REJECTED_MESSAGE_ERROR, fail);
    session.on(code.CONNECT_FAILED_ERROR, fail);
    session.on(code.DOWN_ERROR, fail);
    await new Promise<void>((resolve, reject) => {
      failed = reject;
      session.on(code.UP_NOTICE, () => resolve());
      session.connect();
    });
    const destination = SolclientFactory.createDurableQueueDestination(queue);
    return {
      publish: (bodies) =>
        new Promise((resolve, reject) => {
          confirmed = resolve;
          failed = reject;
          unconfirmed = bodies.length;
          for (const body of bodies) session.send(messageOf(body, destination));
        }),
      close: async () => {
        await new Promise<void>((resolve) => {
          session.on(code.DISCONNECTED, () => resolve());
          session.disconnect();
        });
        session.dispose();
      },
    };
  },
};

function messageOf(body: Buffer, destination: solace.Destination): solace.Message {
  const message = SolclientFactory.createMessage();
  message.setDestination(destination);
  message.setDeliveryMode(solace.MessageDeliveryModeType.PERSISTENT);
  message.setDMQEligible(true);
  message.setBinaryAttachment(body);
  return message;
}
