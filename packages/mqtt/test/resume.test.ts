import { eventually } from "@lab/testbed/testing";
import { describe, expect, test } from "vitest";
import { subscribe } from "./support/clients.ts";
import { message, type ScriptedConnection, scriptedBroker } from "./support/scripted-broker.ts";
import { pubacks } from "./support/wire.ts";

/** The second connection resumes the session of the first. */
async function resumed(
  first: (connection: ScriptedConnection) => void,
  second: (connection: ScriptedConnection) => void,
  window = 16,
) {
  const broker = await scriptedBroker(
    (index) => ({ sessionPresent: index > 0 }),
    (connection, index) => (index === 0 ? first : second)(connection),
  );
  const subscribed = await subscribe({ url: broker.url, window });
  const acknowledged = (): number[] => pubacks(broker.connections[1]?.received ?? []);
  return { ...subscribed, ...broker, acknowledged };
}

describe("a resumed session (on a scripted broker)", () => {
  test("knows redeliveries of a broker that forgets the DUP flag", async () => {
    const { inbox, connections, acknowledged } = await resumed(
      (to) => to.send(message(1, "a"), message(2, "b")),
      (to) => to.send(message(1, "a"), message(2, "b"), message(3, "c")),
    );
    await inbox.received(2);
    connections[0]?.cut();
    await inbox.received(3);
    for (const delivery of inbox.deliveries) delivery.settle("ack");
    await eventually("all acknowledgements", () => acknowledged().length === 3);
    expect(acknowledged()).toEqual([1, 2, 3]);
    expect(inbox.bodies).toEqual(["a", "b", "c"]);
  });

  test("takes an id that comes back with another content for a new message", async () => {
    const { inbox, connections, acknowledged } = await resumed(
      (to) => to.send(message(1, "a")),
      (to) => to.send(message(1, "other")),
    );
    await inbox.received(1);
    connections[0]?.cut();
    await inbox.received(2);
    expect(inbox.bodies).toEqual(["a", "other"]);
    expect(inbox.deliveries[0]?.settle("ack")).toBe("settled");
    expect(inbox.deliveries[1]?.settle("ack")).toBe("settled");
    await eventually("one acknowledgement", () => acknowledged().length === 1);
  });

  test("lets go of what the broker does not know any more, once it sends something new", async () => {
    const { inbox, connections, acknowledged } = await resumed(
      (to) => to.send(message(1, "tick"), message(2, "tick")),
      // Restored from older data, it gives the id away again: the same content, and yet another message.
      (to) => to.send(message(7, "new"), message(1, "tick"), message(2, "tick")),
      2,
    );
    await inbox.received(2);
    connections[0]?.cut();
    await inbox.state("connected", 2);
    inbox.onDelivery = (delivery) => delivery.settle("ack");
    for (const delivery of inbox.deliveries) delivery.settle("ack");
    await inbox.received(5);
    await eventually("the acknowledgements of the new", () => acknowledged().length === 3);
    expect(acknowledged()).toEqual([7, 1, 2]);
  });

  test("counts what the broker has forgotten until it is settled: the handler may still run", async () => {
    const { inbox, connections } = await resumed(
      (to) => to.send(message(1, "a"), message(2, "b")),
      (to) => to.send(message(7, "c"), message(8, "d")),
      2,
    );
    await inbox.received(2);
    connections[0]?.cut();
    await inbox.state("connected", 2);
    await eventually("the answer to SUBSCRIBE to be stuck", () => connections.length === 2);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(inbox.deliveries).toHaveLength(2);
    inbox.deliveries[1]?.settle("ack");
    await inbox.received(3);
    inbox.deliveries[0]?.settle("ack");
    await inbox.received(4);
  });

  test("is not stuck when an acknowledgement was lost and a full window comes again behind it", async () => {
    const { inbox, connections, acknowledged } = await resumed(
      (to) => to.send(message(1, "a"), message(2, "b"), message(3, "c")),
      // The acknowledgement of 1 was lost; 2 and 3 were settled while the connection was away.
      (to) => to.send(message(1, "a", true), message(2, "b", true), message(3, "c", true)),
      2,
    );
    await inbox.received(2);
    inbox.deliveries[0]?.settle("ack");
    await inbox.received(3);
    connections[0]?.cut();
    await inbox.state("reconnecting");
    for (const delivery of inbox.deliveries) delivery.settle("ack");
    await inbox.received(4);
    expect(inbox.bodies).toEqual(["a", "b", "c", "a"]);
    inbox.deliveries[3]?.settle("ack");
    await eventually("all acknowledgements", () => acknowledged().length === 3);
    expect(acknowledged()).toEqual([1, 2, 3]);
  });

  test("does not take such a message for a new one either, where the broker forgets the DUP flag", async () => {
    const { inbox, connections, acknowledged } = await resumed(
      (to) => to.send(message(1, "a"), message(2, "b")),
      (to) => to.send(message(1, "a"), message(2, "b")),
    );
    await inbox.received(2);
    inbox.deliveries[0]?.settle("ack");
    await eventually(
      "the acknowledgement",
      () => pubacks(connections[0]?.received ?? []).length === 1,
    );
    connections[0]?.cut();
    await inbox.received(3);
    expect(inbox.bodies).toEqual(["a", "b", "a"]);
    for (const delivery of inbox.deliveries) delivery.settle("ack");
    await eventually("all acknowledgements", () => acknowledged().length === 2);
  });

  test("ignores a message that is sent again on the same connection while its handler runs", async () => {
    const { inbox, connections } = await resumed(
      (to) => to.send(message(1, "a"), message(1, "a", true), message(2, "b")),
      () => {},
    );
    await inbox.received(2);
    expect(inbox.bodies).toEqual(["a", "b"]);
    for (const delivery of inbox.deliveries) delivery.settle("ack");
    await eventually(
      "all acknowledgements",
      () => pubacks(connections[0]?.received ?? []).length === 2,
    );
  });

  test("sends after stop what is settled, over a new connection too", async () => {
    const { inbox, connections, subscription, acknowledged } = await resumed(
      (to) => to.send(message(1, "a"), message(2, "b")),
      (to) => to.send(message(9, "missed", true), message(1, "a", true), message(2, "b", true)),
    );
    await inbox.received(2);
    await subscription.stop();
    connections[0]?.cut();
    await inbox.state("connected", 2);
    for (const delivery of inbox.deliveries) delivery.settle("ack");
    await eventually("both acknowledgements", () => acknowledged().length === 2);
    expect(acknowledged()).toEqual([1, 2]);
    expect(inbox.bodies).toEqual(["a", "b"]);
  });
});
