import type { Outcome } from "@lab/core";
import { describe, expect, test } from "vitest";
import {
  eventually,
  fill,
  publisherOf,
  quiet,
  solace,
  started,
  subscribed,
} from "./support/solace.ts";

for (const redeliveredIds of ["same", "new"] as const) {
  describe(`redelivered under ${redeliveredIds} ids`, () => {
    async function inHand(window = 4, backlog = 12) {
      const { broker, log } = await started({ redeliveredIds });
      broker.createQueue("q");
      await fill(broker, "q", backlog);
      const { inbox, subscription } = await subscribed(broker, "q", { window });
      await eventually("a full window", () => inbox.deliveries.length === window);
      return { broker, log, inbox, subscription };
    }

    test("what is in hand stays valid over a cut, is not handed out twice, and is acknowledged", async () => {
      const { broker, inbox } = await inHand();
      broker.cut();
      await eventually("the connection to be back", () => inbox.connections === 2);
      await quiet();
      expect(inbox.deliveries).toHaveLength(4);
      expect(inbox.endedSessions).toEqual([]);
      for (const delivery of inbox.deliveries) expect(delivery.settle("ack")).toBe("settled");
      await eventually("all", () => {
        inbox.settleAll();
        return inbox.deliveries.length === 12 && broker.depth("q").unacknowledged === 0;
      });
      expect(new Set(inbox.bodies).size).toBe(12);
      expect(broker.depth("q").ready).toBe(0);
    });

    test("what is settled while the connection is away counts once it is back", async () => {
      const { broker, inbox } = await inHand();
      await broker.stop();
      await eventually("the loss", () => inbox.states.at(-1) === "reconnecting");
      for (const delivery of inbox.deliveries) expect(delivery.settle("ack")).toBe("settled");
      await broker.start();
      await eventually("all", () => {
        inbox.settleAll();
        return inbox.deliveries.length === 12 && broker.depth("q").unacknowledged === 0;
      });
      expect(new Set(inbox.bodies).size).toBe(12);
      expect(broker.depth("q").ready).toBe(0);
    });

    test.for<Outcome>(["nack", "reject"])(
      "a %s while the connection is away does not end the session, and counts",
      async (outcome) => {
        const { broker, inbox } = await inHand(2, 2);
        await broker.stop();
        await eventually("the loss", () => inbox.states.at(-1) === "reconnecting");
        expect(inbox.deliveries[0]?.settle(outcome)).toBe("settled");
        await broker.start();
        await eventually("the connection to be back", () => inbox.connections === 2);
        await quiet();
        expect(inbox.endedSessions).toEqual([]);
        expect(inbox.bodies).toEqual(outcome === "nack" ? ["m0", "m1", "m0"] : ["m0", "m1"]);
        inbox.settleAll();
        await eventually("all gone", () => broker.depth("q").unacknowledged === 0);
        expect(broker.depth("q").ready).toBe(0);
      },
    );

    test("the window holds over cuts, with what was read ahead and comes again", async () => {
      const { broker, inbox } = await inHand(3, 30);
      let open = 3;
      let most = 3;
      inbox.onDelivery = () => {
        most = Math.max(most, ++open);
      };
      let settled = 0;
      const settleNext = (): boolean => {
        if (inbox.deliveries.length <= settled) return false;
        open--;
        inbox.deliveries[settled++]?.settle("ack");
        return true;
      };
      for (const mark of [3, 10, 17, 24]) {
        await eventually(`${mark} settled`, () => settleNext() && settled >= mark);
        const before = inbox.connections;
        broker.cut();
        await eventually("the connection to be back", () => inbox.connections > before);
      }
      await eventually("all acknowledged", () => {
        while (settleNext());
        return broker.depth("q").unacknowledged + broker.depth("q").ready === 0;
      });
      expect(most).toBeLessThanOrEqual(3);
      // Acknowledgements that were on their way when the connection was cut may have been in vain.
      const first = [...new Set(inbox.bodies)];
      expect(first).toEqual(Array.from({ length: 30 }, (_, index) => `m${index}`));
    });

    test("a message that another member has meanwhile is let go: settling it here does no harm", async () => {
      const { broker, inbox } = await inHand(2, 2);
      await broker.stop();
      await eventually("the loss", () => inbox.states.at(-1) === "reconnecting");
      broker.purge("q"); // It has expired, for example.
      await broker.start();
      await eventually("the connection to be back", () => inbox.connections === 2);
      for (const delivery of inbox.deliveries) expect(delivery.settle("ack")).toBe("settled");
      await fill(broker, "q", 2);
      await eventually("new ones", () => inbox.deliveries.length === 4);
      expect(inbox.endedSessions).toEqual([]);
    });

    test("what comes again after its acknowledgement got lost is at worst handed out again", async () => {
      const { broker, inbox } = await inHand(4, 4);
      inbox.settleAll();
      broker.cut(); // Before the client has sent them.
      await eventually("all acknowledged", () => {
        inbox.settleAll();
        return broker.depth("q").unacknowledged + broker.depth("q").ready === 0;
      });
      for (const body of ["m0", "m1", "m2", "m3"]) expect(inbox.bodies).toContain(body);
    });
  });
}

test("with new ids and no id of the spool, a message in hand is told by its application message id", async () => {
  const { broker } = await started({ redeliveredIds: "new", spoolIds: false });
  broker.createQueue("q");
  const session = solace.SolclientFactory.createSession({
    url: broker.url,
    vpnName: "default",
    userName: "user",
    password: "password",
    publisherProperties: { enabled: true },
  });
  await new Promise<void>((resolve) => {
    session.on(solace.SessionEventCode.UP_NOTICE, () => resolve());
    session.connect();
  });
  for (const [id, body] of [
    ["1", "told"],
    ["1", "same id, another body"],
  ] as const) {
    const message = solace.SolclientFactory.createMessage();
    message.setDestination(solace.SolclientFactory.createDurableQueueDestination("q"));
    message.setDeliveryMode(solace.MessageDeliveryModeType.PERSISTENT);
    message.setApplicationMessageId(id);
    message.setBinaryAttachment(Buffer.from(body));
    session.send(message);
  }
  await eventually("arrival", () => broker.depth("q").ready === 2);
  session.dispose();
  const { inbox } = await subscribed(broker, "q");
  await eventually("delivery", () => inbox.deliveries.length === 2);
  broker.cut();
  await eventually("the connection to be back", () => inbox.connections === 2);
  await quiet();
  expect(inbox.bodies).toEqual(["told", "same id, another body"]);
  inbox.settleAll();
  await eventually("acknowledgement", () => broker.depth("q").unacknowledged === 0);
});

test("with neither it is handed out again, and nothing is lost", async () => {
  const { broker } = await started({ redeliveredIds: "new", spoolIds: false });
  broker.createQueue("q");
  await fill(broker, "q", 2);
  const { inbox } = await subscribed(broker, "q");
  await eventually("delivery", () => inbox.deliveries.length === 2);
  broker.cut();
  await eventually("redelivery", () => inbox.deliveries.length === 4);
  inbox.settleAll();
  await eventually("acknowledgement", () => broker.depth("q").unacknowledged === 0);
});

test("two messages that are alike in all but their spool id are both handled", async () => {
  const { broker } = await started({ redeliveredIds: "new" });
  broker.createQueue("q");
  const publisher = publisherOf(broker);
  const twin = { body: Buffer.from("twin"), key: "k" };
  await publisher.publish("q", [twin, twin]);
  const { inbox } = await subscribed(broker, "q", { window: 1, readAhead: 10 });
  await eventually("the first", () => inbox.deliveries.length === 1);
  broker.cut();
  await eventually("the connection to be back", () => inbox.connections === 2);
  inbox.deliveries[0]?.settle("ack");
  await eventually("the second", () => inbox.deliveries.length === 2);
  inbox.deliveries[1]?.settle("ack");
  await eventually("acknowledgement", () => broker.depth("q").unacknowledged === 0);
  expect(inbox.deliveries).toHaveLength(2);
});
