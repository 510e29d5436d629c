import { describe, expect, test } from "vitest";
import { Ledger } from "../src/index.ts";

/** A ledger with `count` messages of each key. */
function ledgerOf(count: number, ...keys: string[]): Ledger {
  const ledger = new Ledger();
  for (const key of keys) for (let i = 0; i < count; i++) ledger.publish(key);
  return ledger;
}

function handle(ledger: Ledger, key: string, seq: number): void {
  ledger.start(key, seq);
  ledger.succeed(key, seq);
}

const clean = { violations: 0, overlaps: 0, duplicates: 0, repeats: 0, lost: 0 };

describe("the ledger", () => {
  test("numbers the messages of each key from 0", () => {
    const ledger = new Ledger();
    expect([ledger.publish("a"), ledger.publish("a"), ledger.publish("b")]).toEqual([0, 1, 0]);
  });

  test("finds nothing when each key is handled in order", () => {
    const ledger = ledgerOf(2, "a", "b");
    ledger.start("a", 0);
    ledger.start("b", 0);
    expect(ledger.running).toBe(2);
    ledger.succeed("b", 0);
    ledger.succeed("a", 0);
    handle(ledger, "a", 1);
    handle(ledger, "b", 1);
    expect(ledger.report()).toEqual({ ...clean, published: 4, handled: 4, deadLettered: 0 });
    expect(ledger.complete).toBe(true);
    expect(ledger.findings).toEqual([]);
  });

  test("counts what was never handled as lost", () => {
    const ledger = ledgerOf(3, "a");
    handle(ledger, "a", 0);
    expect(ledger.complete).toBe(false);
    expect(ledger.report()).toMatchObject({ handled: 1, lost: 2 });
  });

  test("finds two handlers of one key at once", () => {
    const ledger = ledgerOf(1, "a");
    ledger.start("a", 0);
    ledger.start("a", 0);
    expect(ledger.report().overlaps).toBe(1);
    expect(ledger.findings).toEqual(["a/0 started while 1 of its key ran"]);
  });

  test("finds a message that starts before the one before it was handled", () => {
    const ledger = ledgerOf(4, "a");
    handle(ledger, "a", 1);
    expect(ledger.findings).toEqual(["a/1 started before a/0 was done"]);
    handle(ledger, "a", 2);
    handle(ledger, "a", 0);
    handle(ledger, "a", 3);
    expect(ledger.report()).toMatchObject({ violations: 1, handled: 4, lost: 0 });
  });

  test("takes a failed attempt for no success: the next message must wait for the retry", () => {
    const ledger = ledgerOf(2, "a");
    ledger.start("a", 0);
    ledger.fail("a", 0);
    handle(ledger, "a", 1);
    expect(ledger.report().violations).toBe(1);
    handle(ledger, "a", 0);
    expect(ledger.report()).toMatchObject({ handled: 2, duplicates: 0, lost: 0 });
  });

  test("lets the next message start after a dead letter", () => {
    const ledger = ledgerOf(2, "a");
    ledger.start("a", 0);
    ledger.fail("a", 0);
    ledger.deadLetter("a", 0);
    handle(ledger, "a", 1);
    expect(ledger.report()).toEqual({ ...clean, published: 2, handled: 1, deadLettered: 1 });
  });

  test("calls a second success a duplicate, and after a fault a repeat", () => {
    const ledger = ledgerOf(2, "a");
    handle(ledger, "a", 0);
    handle(ledger, "a", 0);
    ledger.faultInjected();
    handle(ledger, "a", 0);
    handle(ledger, "a", 1);
    handle(ledger, "a", 1);
    expect(ledger.report()).toMatchObject({ handled: 2, duplicates: 1, repeats: 2, violations: 0 });
  });

  test("keeps findings in words for the first few only", () => {
    const ledger = ledgerOf(100, "a");
    for (let seq = 99; seq > 0; seq--) ledger.start("a", seq);
    expect(ledger.report().violations).toBe(99);
    expect(ledger.findings).toHaveLength(10);
  });
});
