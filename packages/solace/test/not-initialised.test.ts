import { solacePublisher, solaceSubscriber } from "@lab/solace";
import solace from "solclientjs";
import { expect, test } from "vitest";
import { Inbox } from "./support/inbox.ts";

// Nothing in this file initialises the client.

const connect = (defaults: object): solace.Session =>
  solace.SolclientFactory.createSession({
    ...defaults,
    url: "tcp://127.0.0.1:1",
    vpnName: "default",
    userName: "user",
  } as solace.SessionProperties);

test("a client that was not initialised is told, with the call that does it", async () => {
  const subscriber = solaceSubscriber({ solace, connect });
  const subscribing = subscriber.subscribe("q", { window: 1 }, new Inbox());
  await expect(subscribing).rejects.toMatchObject({ code: "INVALID_OPTION" });
  await expect(subscribing).rejects.toThrow(/SolclientFactory\.init\(/);
  const publisher = solacePublisher({ solace, connect, destination: "queue" });
  await expect(publisher.publish("q", [{ body: Buffer.alloc(0) }])).rejects.toThrow(
    /SolclientFactory\.init\(/,
  );
  await publisher.close();
});
