import { describe, expect, test } from "vitest";
import { connectTo, eventually, fill, quiet, started, subscribed } from "./support/solace.ts";

describe("a lost connection", () => {
  test("is restored after more failures than the client's own 20, and told with its cause", async () => {
    const { broker } = await started();
    broker.createQueue("q");
    const { inbox } = await subscribed(broker, "q", { backoff: { base: 1, cap: 2 } });
    await broker.stop();
    await eventually("many attempts", () => inbox.causes.length > 25);
    expect(inbox.states.slice(0, 3)).toEqual(["connecting", "connected", "reconnecting"]);
    expect(inbox.causes[0]).toMatchObject({ code: "CONNECTION_LOST" });
    expect(inbox.causes.at(-1)).toMatchObject({ code: "BROKER_UNREACHABLE" });
    expect(inbox.causes.at(-1)?.message).toContain("ECONNREFUSED");
    await broker.start();
    await eventually("the connection to be back", () => inbox.connections === 2);
    await fill(broker, "q", 1);
    await eventually("delivery", () => inbox.deliveries.length === 1);
    expect(inbox.failures).toEqual([]);
  });

  test("is noticed by the keep-alive when the broker has gone silent", async () => {
    const { broker } = await started();
    broker.createQueue("q");
    const keepAlive = { keepAliveIntervalInMsecs: 50, keepAliveIntervalsLimit: 3 };
    const connect = connectTo(broker, keepAlive);
    const { inbox } = await subscribed(broker, "q", { connect });
    broker.faults.muteKeepAlive = true;
    await eventually("the loss", () => inbox.states.includes("reconnecting"));
    broker.faults.muteKeepAlive = false;
    await eventually("the connection to be back", () => inbox.connections >= 2);
  });

  test("that the broker does not take back for now is tried for again", async () => {
    const { broker } = await started();
    broker.createQueue("q");
    const { inbox } = await subscribed(broker, "q");
    broker.faults.login = () => ({ code: 503, text: "Too Many Clients" });
    broker.cut();
    await eventually("refusals", () => inbox.causes.length > 3);
    expect(inbox.causes.at(-1)).toMatchObject({ code: "ACCESS_REFUSED" });
    broker.faults.login = undefined;
    await eventually("the connection to be back", () => inbox.connections === 2);
    expect(inbox.endedSessions).toEqual([]);
    expect(inbox.failures).toEqual([]);
  });
});

describe("a login that is refused later", () => {
  test("ends the subscription, which says so, when a fresh session is refused too", async () => {
    const { broker } = await started();
    broker.createQueue("q");
    await fill(broker, "q", 1);
    const { inbox, subscription } = await subscribed(broker, "q");
    await eventually("delivery", () => inbox.deliveries.length === 1);
    broker.faults.login = () => ({ code: 401, text: "Unauthorized" });
    broker.cut();
    await eventually("its end", () => inbox.failures.length === 1);
    expect(inbox.failures[0]).toMatchObject({ code: "SUBSCRIPTION_FAILED" });
    expect(inbox.failures[0]?.message).toMatch(/"q" cannot be consumed any more: .*Unauthorized/);
    expect(inbox.states.at(-1)).toBe("closed");
    expect(inbox.endedSessions).toHaveLength(1);
    expect(inbox.deliveries[0]?.settle("ack")).toBe("stale");
    await subscription.close();
    await quiet();
    expect(inbox.failures).toHaveLength(1);
  });

  test("is tried with a fresh session first, whose token may be a new one", async () => {
    const { broker } = await started();
    broker.createQueue("q");
    await fill(broker, "q", 1);
    let user = "old";
    broker.faults.login = ({ userName }) =>
      userName === user ? undefined : { code: 401, text: "Unauthorized" };
    let asked = 0;
    const { inbox } = await subscribed(broker, "q", {
      connect: async (defaults) => {
        asked++;
        return connectTo(broker, { userName: user })(defaults);
      },
    });
    await eventually("delivery", () => inbox.deliveries.length === 1);
    user = "new";
    broker.cut();
    await eventually("redelivery in a new session", () => inbox.deliveries.length === 2);
    expect(asked).toBe(2);
    expect(inbox.endedSessions).toEqual([inbox.deliveries[0]?.session]);
    expect(inbox.deliveries[0]?.settle("ack")).toBe("stale");
    expect(inbox.deliveries[1]?.settle("ack")).toBe("settled");
    await eventually("acknowledgement", () => broker.depth("q").unacknowledged === 0);
    expect(inbox.failures).toEqual([]);
  });
});

describe("a consumer that is not bound again after a cut", () => {
  test("is bound in a new session once the queue is enabled", async () => {
    const { broker } = await started();
    broker.createQueue("q");
    await fill(broker, "q", 1);
    const { inbox } = await subscribed(broker, "q");
    await eventually("delivery", () => inbox.deliveries.length === 1);
    broker.faults.bind = () => ({ code: 503, text: "Queue Shutdown" });
    broker.cut();
    await eventually("refusals", () => inbox.causes.length > 3);
    expect(inbox.endedSessions).toHaveLength(1);
    broker.faults.bind = undefined;
    await eventually("redelivery", () => inbox.deliveries.length === 2);
    expect(inbox.failures).toEqual([]);
  });

  test("ends the subscription when the queue is gone", async () => {
    const { broker } = await started();
    broker.createQueue("q");
    const { inbox } = await subscribed(broker, "q");
    await broker.stop();
    broker.deleteQueue("q");
    await broker.start();
    await eventually("its end", () => inbox.failures.length === 1);
    expect(inbox.failures[0]?.cause).toMatchObject({ code: "SOURCE_MISSING" });
  });

  test("is not waited for without end when the broker does not answer", async () => {
    const { broker } = await started();
    broker.createQueue("q");
    const { inbox } = await subscribed(broker, "q", { connectTimeout: 200 });
    broker.faults.bind = () => "no answer";
    broker.cut();
    await eventually("its loss", () => inbox.endedSessions.length === 1 || inbox.causes.length > 2);
    broker.faults.bind = undefined;
    await eventually("it to be back", () => inbox.connections >= 2);
  });
});

test("a user's own number of reconnect retries is the client's; after it the adapter goes on", async () => {
  const { broker } = await started();
  broker.createQueue("q");
  const connect = connectTo(broker, { reconnectRetries: 3, reconnectRetryWaitInMsecs: 10 });
  const { inbox } = await subscribed(broker, "q", { connect });
  await broker.stop();
  await eventually("its loss", () => inbox.causes.length > 2);
  await broker.start();
  await eventually("the connection to be back", () => inbox.connections === 2);
});

test("a connection that is lost before the consumer is bound fails the start", async () => {
  const { broker } = await started();
  broker.createQueue("q");
  broker.faults.bind = () => {
    broker.cut();
    return "no answer";
  };
  await expect(subscribed(broker, "q")).rejects.toMatchObject({ code: "BROKER_UNREACHABLE" });
});
