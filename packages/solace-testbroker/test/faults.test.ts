import { SolaceTestBroker } from "@lab/solace-testbroker";
import { expect, test } from "vitest";
import { started } from "./support/broker.ts";
import { bind, connect, eventually, quiet } from "./support/client.ts";

const refusal = { code: 503, text: "Too Many Clients" };

test("cut connections come back; queues are as they were", async () => {
  const broker = await started();
  broker.createQueue("q");
  const client = await connect(broker);
  client.publish("q", "a");
  await eventually("confirmation", () => client.confirmed.length === 1);
  broker.cut();
  await eventually("reconnection", () => client.events.includes("RECONNECTED_NOTICE"));
  client.publish("q", "b");
  await eventually("confirmation", () => client.confirmed.length === 2);
  expect(broker.depth("q").ready).toBe(2);
});

test("what a publisher sends again after a cut is taken once", async () => {
  const broker = await started();
  broker.createQueue("q");
  const client = await connect(broker);
  broker.faults.delay = 60_000; // Taken, and not confirmed.
  for (let index = 0; index < 20; index++) client.publish("q", `m${index}`);
  await eventually("arrival", () => broker.depth("q").ready === 20);
  broker.faults.delay = 0;
  broker.cut();
  await eventually("confirmation", () => client.confirmed.length === 20);
  expect(broker.depth("q").ready).toBe(20);
});

test("a publisher whose flow was forgotten publishes again under a new one", async () => {
  const broker = await started();
  broker.createQueue("q");
  const client = await connect(broker);
  client.publish("q", "a");
  await eventually("confirmation", () => client.confirmed.length === 1);
  broker.faults.publish = () => "no answer";
  client.publish("q", "b");
  await quiet();
  broker.faults.publish = undefined;
  broker.forgetPublishers();
  broker.cut();
  await eventually("confirmation", () => client.confirmed.length === 2);
  expect(client.events).toContain("REPUBLISHING_UNACKED_MESSAGES");
});

test("a restart keeps port, queues and what was confirmed", async () => {
  const broker = await started();
  broker.createQueue("q");
  const client = await connect(broker);
  client.publish("q", "a");
  await eventually("confirmation", () => client.confirmed.length === 1);
  const { port } = broker;
  await broker.stop();
  await expect(connect(broker)).rejects.toThrow(/ECONNREFUSED/);
  await broker.start();
  expect(broker.port).toBe(port);
  await eventually("reconnection", () => client.events.includes("RECONNECTED_NOTICE"));
  expect((await bind(client, "q")).consumer).toBeDefined();
  expect(broker.depth("q").unacknowledged + broker.depth("q").ready).toBe(1);
});

test("keep-alives that are not answered end the connection at the client", async () => {
  const broker = await started();
  const client = await connect(broker, {
    keepAliveIntervalInMsecs: 50,
    keepAliveIntervalsLimit: 3,
  });
  await quiet();
  expect(client.events).not.toContain("RECONNECTING_NOTICE");
  broker.faults.muteKeepAlive = true;
  await eventually("its loss", () => client.events.includes("RECONNECTING_NOTICE"));
});

test("credentials and message VPN are asked for", async () => {
  const broker = await started({
    credentials: { username: "user", password: "password" },
    vpn: "default",
  });
  await connect(broker);
  await expect(connect(broker, { password: "wrong" })).rejects.toThrow("Unauthorized");
  await expect(connect(broker, { vpnName: "other" })).rejects.toThrow("Message VPN Not Allowed");
});

test("logins, binds and messages are refused, or not answered, as is judged", async () => {
  const broker = await started();
  broker.createQueue("q");
  broker.faults.login = () => refusal;
  await expect(connect(broker)).rejects.toThrow(refusal.text);
  broker.faults.login = () => "no answer";
  await expect(connect(broker, { connectTimeoutInMsecs: 200 })).rejects.toThrow(/timeout/i);
  broker.faults.login = undefined;
  const client = await connect(broker);
  broker.faults.bind = (name) =>
    name === "q" ? { code: 403, text: "Permission Not Allowed" } : undefined;
  await expect(bind(client, "q")).rejects.toThrow("Permission Not Allowed");
  broker.faults.bind = undefined;
  await expect(bind(client, "missing")).rejects.toThrow("Unknown Queue");
  broker.faults.publish = (_queue, body) => (body.includes("bad") ? refusal : undefined);
  for (const body of ["good", "bad", "fine"]) client.publish("q", body);
  await eventually("answers", () => client.confirmed.length + client.rejected.length === 3);
  expect(client.rejected).toEqual([{ key: "bad", text: refusal.text }]);
});

test("a queue that is shut down ends its consumers and takes none until it is enabled", async () => {
  const broker = await started();
  broker.createQueue("q");
  const client = await connect(broker);
  const consumer = await bind(client, "q");
  broker.shutDown("q");
  await eventually("its end", () => consumer.events.includes("DOWN_ERROR"));
  await expect(bind(client, "q")).rejects.toThrow("Queue Shutdown");
  client.publish("q", "a");
  await eventually("confirmation", () => client.confirmed.length === 1);
  broker.enable("q");
  const next = await bind(client, "q");
  await eventually("delivery", () => next.bodies.length === 1);
});

test("so does one that is deleted, for good", async () => {
  const broker = await started();
  broker.createQueue("q");
  const client = await connect(broker);
  const consumer = await bind(client, "q");
  broker.deleteQueue("q");
  await eventually("its end", () => consumer.events.includes("DOWN_ERROR"));
  await expect(bind(client, "q")).rejects.toThrow("Unknown Queue");
});

test("a queue has so many consumers as it may", async () => {
  const broker = await started();
  broker.createQueue("q", { maxConsumers: 1 });
  const client = await connect(broker);
  await bind(client, "q");
  await expect(bind(client, "q")).rejects.toThrow("Max clients exceeded for Queue");
});

test("publishers' flows are closed by call", async () => {
  const broker = await started();
  const client = await connect(broker);
  broker.closePublishers();
  await eventually("its end", () => client.events.includes("GUARANTEED_MESSAGE_PUBLISHER_DOWN"));
});

test("a slow broker keeps the order", async () => {
  const broker = await started();
  broker.createQueue("q");
  const client = await connect(broker);
  broker.faults.delay = 20;
  const consumer = await bind(client, "q");
  for (let index = 0; index < 50; index++) client.publish("q", `m${index}`);
  await eventually("delivery", () => consumer.bodies.length === 50);
  expect(consumer.bodies).toEqual(Array.from({ length: 50 }, (_, index) => `m${index}`));
});

test.for([
  [{ redeliveredIds: "other" as "same" }, /`redeliveredIds`/],
  [{ longestFrame: 0 }, /`longestFrame`/],
] as const)("bad options are told: %o", ([options, message]) => {
  expect(() => new SolaceTestBroker(options)).toThrow(message);
});

test.for([
  [{ access: "shared" as "exclusive" }, /`access`/],
  [{ partitions: 4 }, /Partitions need it/],
  [{ maxRedelivery: -1 }, /`maxRedelivery`/],
] as const)("bad options of a queue are told: %o", ([options, message]) => {
  expect(() => new SolaceTestBroker().createQueue("q", options)).toThrow(message);
});

test("a name is given once, and unknown ones are told", () => {
  const broker = new SolaceTestBroker();
  broker.createQueue("q");
  expect(() => broker.createQueue("q")).toThrow(/not taken/);
  expect(() => broker.depth("other")).toThrow(/one that was created/);
});
