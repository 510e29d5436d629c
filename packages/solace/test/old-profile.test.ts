import { solacePublisher, solaceSubscriber } from "@lab/solace";
import { SolaceTestBroker } from "@lab/solace-testbroker";
import solace from "solclientjs";
import { expect, test } from "vitest";
import { Inbox } from "./support/inbox.ts";

// The oldest profile, which is also the default one: bytes are texts, and there is no publisher unless it is asked for.
// Only the first initialisation of a process counts, so that this file imports nothing that does it.
solace.SolclientFactory.init(
  new solace.SolclientFactoryProperties({
    profile: solace.SolclientFactoryProfiles.version7,
    logLevel: solace.LogLevel.FATAL,
  }),
);

test("a client initialised with its old default profile carries bytes, keys and headers all the same", async () => {
  await using broker = new SolaceTestBroker();
  await broker.start();
  broker.createQueue("q");
  const connect = (defaults: object): solace.Session =>
    solace.SolclientFactory.createSession({
      ...defaults,
      url: broker.url,
      vpnName: "default",
      userName: "user",
    } as solace.SessionProperties);
  const publisher = solacePublisher({ solace, connect, destination: "queue" });
  const body = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  await publisher.publish("q", [{ body, key: "Größe", headers: { kind: "鍵" } }]);
  await publisher.close();
  const inbox = new Inbox();
  const arrived = new Promise<void>((resolve) => {
    inbox.onDelivery = () => resolve();
  });
  const subscriber = solaceSubscriber({ solace, connect });
  const subscription = await subscriber.subscribe("q", { window: 1 }, inbox);
  await arrived;
  expect(inbox.deliveries[0]?.message).toMatchObject({ key: "Größe", headers: { kind: "鍵" } });
  expect(Buffer.compare(inbox.deliveries[0]?.message.body ?? Buffer.alloc(0), body)).toBe(0);
  await subscription.close();
});
