// Consumes orders from a Solace queue: at SOLACE_URL, or on the broker of this machine. Ends, drained, on Ctrl-C.
import { setTimeout as sleep } from "node:timers/promises";
import { consume, json } from "@lab/core";
import { solaceSubscriber } from "@lab/solace";
import solace from "solclientjs";
import { z } from "zod";

const url = process.env.SOLACE_URL ?? "tcp://localhost:55555";
const Order = z.object({ step: z.string(), ms: z.number() });

const { SolclientFactory, SolclientFactoryProfiles, SolclientFactoryProperties } = solace;
const profile = SolclientFactoryProfiles.version10_5;
SolclientFactory.init(new SolclientFactoryProperties({ profile, logLevel: solace.LogLevel.WARN }));

const subscriber = solaceSubscriber({
  solace,
  connect: (defaults) =>
    SolclientFactory.createSession({ ...defaults, url, vpnName: "default", userName: "orders" }),
});

await using consumer = await consume({
  subscriber,
  source: "orders", // messages with one `key` stay in order, 32 keys are handled at once
  deserialize: json(Order),
  handler: async (order, { key, signal }) => {
    await sleep(order.ms, undefined, { signal });
    console.log(`${key}: ${order.step}`);
  },
});

console.log("ready");
process.once("SIGINT", () => consumer.drain());
await consumer.closed;
