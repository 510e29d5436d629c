import assert from "node:assert/strict";
import type { Consumer } from "@lab/core";
import type { ScenarioContext } from "../../context.ts";
import type { Ledger } from "../../ledger.ts";
import type { TestSource } from "../../rig.ts";
import type { Scenario } from "../../scenario.ts";
import { cut } from "../../tools/faults.ts";
import { Gate } from "../../tools/gate.ts";
import { entries } from "../../tools/messages.ts";
import { recorded } from "../../tools/recorded.ts";

const LANES = 8;

export const cutEndsSession: Scenario = {
  name: "loses nothing when the connection is cut with work in hand",
  needs: ({ cut }) => cut,
  appliesTo: ({ resumes }) => !resumes,
  async run(context) {
    const { source, ledger, consumer, gates, signals } = await workInHand(context);
    const delivered = context.watch.delivered;
    ledger.faultInjected();
    await cut(context);
    await context.until(
      "the signal of each handler in hand to abort",
      () => signals.every((signal) => signal.aborted),
      () => `${signals.filter((signal) => signal.aborted).length} of ${LANES} aborted`,
    );
    await context.until(
      "the deliveries in hand to come again",
      () => context.watch.delivered >= delivered + LANES,
      () => `${context.watch.delivered - delivered} deliveries after the cut`,
    );
    await context.quiet();
    assert.equal(ledger.running, LANES, "a redelivery must wait for the handler of its key");
    for (const gate of gates) gate.open();
    await context.settleUp(ledger, source, consumer);
    assert.equal(consumer.stats().staleSettles, LANES, "stale settles");
    expectReconnected(context);
  },
};

export const cutResumes: Scenario = {
  name: "settles work in hand after a cut, without a duplicate",
  needs: ({ cut }) => cut,
  appliesTo: ({ resumes }) => resumes,
  async run(context) {
    const { source, ledger, consumer, gates, signals } = await workInHand(context);
    const [away, back] = gates;
    // Half of the handlers end while there is no connection, the others when there is one again.
    context.watch.onState = (state) => {
      if (state === "reconnecting") away.open();
    };
    await cut(context);
    await context.until(
      "the connection to be back",
      () =>
        context.watch.states.includes("reconnecting") &&
        context.watch.states.at(-1) === "connected",
      () => context.watch.states,
    );
    const aborted = signals.filter((signal) => signal.aborted).length;
    assert.equal(aborted, 0, "signals aborted though the session goes on");
    back.open();
    // No fault is entered in the ledger: nothing had been settled before the cut, so nothing may be repeated.
    await context.settleUp(ledger, source, consumer);
    assert.equal(consumer.stats().staleSettles, 0, "stale settles");
    expectReconnected(context);
  },
};

interface WorkInHand {
  readonly source: TestSource;
  readonly ledger: Ledger;
  readonly consumer: Consumer;
  /** What the handlers in hand wait at: the first half of them, and the others. */
  readonly gates: readonly [Gate, Gate];
  readonly signals: readonly AbortSignal[];
}

/** A handler waits in every lane, nothing is settled yet. */
async function workInHand(context: ScenarioContext): Promise<WorkInHand> {
  const source = await context.createSource();
  const all = entries(LANES, 10);
  const ledger = await context.fill(source, all);
  const gates = [new Gate(), new Gate()] as const;
  for (const gate of gates) context.defer(() => gate.open());
  const signals: AbortSignal[] = [];
  const consumer = await context.consume(source, {
    lanes: LANES,
    window: all.length, // Or the messages of a few keys could fill it.
    handler: recorded(ledger, async (_entry, { signal }) => {
      if (signals.length >= LANES) return context.jitter();
      const gate = gates[signals.length < LANES / 2 ? 0 : 1];
      signals.push(signal);
      await gate.pass();
    }),
  });
  await context.until(
    "a handler in every lane",
    () => signals.length === LANES,
    () => `${signals.length} handlers`,
  );
  return { source, ledger, consumer, gates, signals };
}

function expectReconnected({ watch }: ScenarioContext): void {
  const lost = watch.states.indexOf("reconnecting");
  assert.ok(lost >= 0, `the loss of the connection was not told: ${watch.states}`);
  assert.ok(
    watch.states.indexOf("connected", lost) > lost,
    `the return of the connection was not told: ${watch.states}`,
  );
}
