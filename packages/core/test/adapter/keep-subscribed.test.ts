import { setImmediate as turn } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { Backoff, keepSubscribed } from "../../src/adapter/index.ts";
import { LabError, type Subscription } from "../../src/index.ts";
import { type Opening, Openings } from "./openings.ts";

interface Subscribed {
  readonly openings: Openings;
  readonly first: Opening;
  readonly subscription: Subscription;
}

async function subscribed(): Promise<Subscribed> {
  const openings = new Openings();
  const { open, backoff } = openings;
  const subscribing = keepSubscribed({ sink: openings, signal: undefined, open, backoff });
  const first = await openings.next(0);
  first.accept();
  return { openings, first, subscription: await subscribing };
}

/** Long enough for another attempt, were there one: the back-off waits nothing. */
async function turns(): Promise<void> {
  for (let i = 0; i < 20; i++) await turn();
}

test("the first session that cannot be opened is the caller's error", async () => {
  const openings = new Openings();
  const { open } = openings;
  const subscribing = keepSubscribed({ sink: openings, signal: undefined, open });
  const first = await openings.next(0);
  first.arrive("early");
  const refusal = new LabError("ACCESS_REFUSED", "No.");
  first.refuse(refusal);
  await expect(subscribing).rejects.toBe(refusal);
  await turns();
  expect(openings.told).toEqual(["connecting", "delivery early", "end of session 0"]);
  expect(openings.all).toHaveLength(1);
});

test("does not start when aborted before", async () => {
  const openings = new Openings();
  const reason = new Error("aborted");
  const signal = AbortSignal.abort(reason);
  const { open } = openings;
  await expect(keepSubscribed({ sink: openings, signal, open })).rejects.toBe(reason);
  expect(openings.all).toEqual([]);
});

test.each(["accept", "refuse"] as const)(
  "leaves nothing open when aborted while it opens, should the broker %s",
  async (answer) => {
    const openings = new Openings();
    const controller = new AbortController();
    const { open } = openings;
    const subscribing = keepSubscribed({ sink: openings, signal: controller.signal, open });
    const first = await openings.next(0);
    const reason = new Error("aborted");
    controller.abort(reason);
    expect(first.signal.aborted).toBe(true);
    first[answer](new Error("refused"));
    await expect(subscribing).rejects.toBe(reason);
    expect(first.closes).toEqual(answer === "accept" ? [true] : []);
    expect(openings.told).toEqual(["connecting", "end of session 0"]);
  },
);

test("an abort after the start has no effect", async () => {
  const openings = new Openings();
  const controller = new AbortController();
  const { open } = openings;
  const subscribing = keepSubscribed({ sink: openings, signal: controller.signal, open });
  const first = await openings.next(0);
  first.accept();
  const subscription = await subscribing;
  controller.abort();
  first.arrive("late");
  expect(openings.told).toEqual(["connecting", "connected", "delivery late"]);
  await subscription.close();
});

test("a lost session is closed and followed by another", async () => {
  const { openings, first, subscription } = await subscribed();
  first.closeWith = () => Promise.reject(new Error("the connection is gone"));
  first.session.end(new Error("lost"));
  expect(openings.told.at(-1)).toBe("end of session 0");
  const second = await openings.next(1);
  expect(first.closes).toEqual([true]);
  second.arrive("early");
  second.accept();
  await turns();
  await subscription.close();
  expect(openings.told).toEqual([
    "connecting",
    "connected",
    "end of session 0",
    "reconnecting: lost",
    "delivery early",
    "connected",
    "end of session 1",
    "closed",
  ]);
});

test("a session lost before it was accepted is followed by another too", async () => {
  const openings = new Openings();
  const { open, backoff } = openings;
  const subscribing = keepSubscribed({ sink: openings, signal: undefined, open, backoff });
  const first = await openings.next(0);
  first.session.end(new Error("lost"));
  first.accept();
  const subscription = await subscribing;
  (await openings.next(1)).accept();
  await turns();
  expect(openings.told.slice(-3)).toEqual(["connected", "reconnecting: lost", "connected"]);
  await subscription.close();
});

test("tries again as long as the broker is away", async () => {
  const { openings, first, subscription } = await subscribed();
  first.session.end(new Error("lost"));
  for (const attempt of [1, 2, 3]) {
    (await openings.next(attempt)).refuse(new LabError("BROKER_UNREACHABLE", `away ${attempt}`));
  }
  (await openings.next(4)).accept();
  await turns();
  expect(openings.told.filter((line) => line.startsWith("reconnecting"))).toEqual([
    "reconnecting: lost",
    "reconnecting: away 1",
    "reconnecting: away 2",
    "reconnecting: away 3",
  ]);
  expect(openings.told.at(-1)).toBe("connected");
  await subscription.close();
});

test.each(["SOURCE_MISSING", "INVALID_OPTION"] as const)(
  "fails for good when it comes back to %s",
  async (code) => {
    const { openings, first, subscription } = await subscribed();
    first.session.end(new Error("lost"));
    (await openings.next(1)).refuse(new LabError(code, "It is no more."));
    await turns();
    expect(openings.told.at(-1)).toBe(
      "failed: The subscription could not be restored: It is no more.",
    );
    expect(openings.all).toHaveLength(2);
    await Promise.all([subscription.stop(), subscription.close()]);
  },
);

test("begins its back-off anew after a session that held, and only then", async () => {
  const { openings, first, subscription } = await subscribed();
  const reset = vi.spyOn(openings.backoff, "reset");
  const now = vi.spyOn(performance, "now");
  try {
    first.session.end(new Error("lost"));
    const second = await openings.next(1);
    expect(reset).not.toHaveBeenCalled();
    second.accept();
    await turns();
    const later = performance.now() + 6_000;
    now.mockReturnValue(later);
    second.session.end(new Error("lost"));
    (await openings.next(2)).accept();
    expect(reset).toHaveBeenCalledOnce();
  } finally {
    now.mockRestore();
  }
  await subscription.close();
});

test("hands over nothing once stopped, and takes settles still", async () => {
  const { openings, first, subscription } = await subscribed();
  const stopping = Promise.all([subscription.stop(), subscription.stop()]);
  first.arrive("late");
  await stopping;
  expect(openings.told).toEqual(["connecting", "connected"]);
  expect(first.session.ended).toBe(false);
  expect(first.stops).toBe(1);
  await subscription.close();
});

test("opens no session once stopped", async () => {
  const { openings, first, subscription } = await subscribed();
  await subscription.stop();
  first.session.end(new Error("lost"));
  await turns();
  expect(openings.all).toHaveLength(1);
  await subscription.close();
  expect(first.closes).toEqual([true]);
});

test("stops and closes in spite of a connection that is gone", async () => {
  const { first, subscription } = await subscribed();
  first.stop = async () => {
    first.session.end(new Error("lost"));
    throw new Error("the connection is gone");
  };
  first.closeWith = () => Promise.reject(new Error("the connection is gone"));
  await subscription.stop();
  await subscription.close();
});

test("tells when it could not stop or close", async () => {
  const { openings, first, subscription } = await subscribed();
  first.stop = () => Promise.reject(new Error("cannot stop"));
  first.closeWith = () => Promise.reject(new Error("cannot close"));
  await expect(subscription.stop()).rejects.toThrow("cannot stop");
  await expect(subscription.close()).rejects.toThrow("cannot close");
  expect(openings.told.at(-1)).toBe("closed");
});

test("ends the session before it closes, once", async () => {
  const { openings, first, subscription } = await subscribed();
  await Promise.all([subscription.close(), subscription.close()]);
  expect(first.closes).toEqual([true]);
  expect(openings.told.slice(-2)).toEqual(["end of session 0", "closed"]);
});

test("close waits for a session that is being opened, and closes it", async () => {
  const { openings, first, subscription } = await subscribed();
  first.session.end(new Error("lost"));
  const second = await openings.next(1);
  const closing = subscription.close();
  expect(second.signal.aborted).toBe(true);
  second.arrive("late");
  second.accept();
  await closing;
  expect(second.closes).toEqual([true]);
  expect(openings.told.slice(-2)).toEqual(["end of session 1", "closed"]);
});

test("close cuts the wait for the next attempt short", async () => {
  const openings = new Openings();
  const { open } = openings;
  const backoff = new Backoff({ base: 3_600_000, cap: 3_600_000 });
  const subscribing = keepSubscribed({ sink: openings, signal: undefined, open, backoff });
  const first = await openings.next(0);
  first.accept();
  const subscription = await subscribing;
  first.session.end(new Error("lost"));
  await turn();
  await subscription.close();
  expect(openings.told.at(-1)).toBe("closed");
  expect(openings.all).toHaveLength(1);
});
