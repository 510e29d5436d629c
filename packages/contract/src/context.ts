import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type ConsumeOptions,
  type Consumer,
  consume,
  type Deserializer,
  type OutgoingMessage,
  type Publisher,
  type Subscription,
} from "@lab/core";
import type { ContractCapabilities } from "./capabilities.ts";
import { Ledger } from "./ledger.ts";
import type { Rig, SubscriberTuning, TestSource } from "./rig.ts";
import { notImplemented } from "./tools/faults.ts";
import { type Entry, entryOf, keyOfEntry, outgoing } from "./tools/messages.ts";
import { seeded } from "./tools/random.ts";
import { Tap } from "./tools/tap.ts";
import { until, within } from "./tools/wait.ts";
import { PortWatch } from "./tools/watch.ts";

/** What a scenario runs in. */
export interface Setting {
  readonly rig: Rig;
  readonly capabilities: ContractCapabilities;
  /** Longest wait for one thing, in ms. */
  readonly deadline: number;
}

/** What `context.consume` can be told; the rest has defaults that suit most scenarios. */
export type ScenarioConsumeOptions = Omit<
  ConsumeOptions<Entry>,
  "subscriber" | "source" | "deserialize"
> & {
  readonly deserialize?: Deserializer<Entry>;
  readonly member?: number;
  readonly tuning?: SubscriberTuning;
  /** The consumer is expected to end with an error. @default false: then no wait goes on after its end */
  readonly mayFail?: boolean;
};

/** How long to look for what must not come. Too short can only miss a fault, never see one that is not there. */
const QUIET = 100;

/** The hands of a scenario: everything made through it is closed, and every source purged, when the scenario is over. */
export class ScenarioContext {
  readonly rig: Rig;
  readonly capabilities: ContractCapabilities;
  readonly deadline: number;
  /** Numbers from 0 up to 1, the same in each run of the scenario. */
  readonly random: () => number;
  /** What the adapter did at the ports. */
  readonly watch: PortWatch = new PortWatch();
  readonly #slug: string;
  readonly #cleanUps: (() => unknown)[] = [];
  readonly #deleted = new Set<TestSource>();
  #died: Error | undefined;

  constructor(name: string, setting: Setting) {
    this.rig = setting.rig;
    this.capabilities = setting.capabilities;
    this.deadline = setting.deadline;
    this.random = seeded(name);
    this.#slug = name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .slice(0, 48);
  }

  /** Calls `cleanUp` when the scenario is over, the last one first. */
  defer(cleanUp: () => unknown): void {
    this.#cleanUps.push(cleanUp);
  }

  async createSource(): Promise<TestSource> {
    const source = await this.rig.createSource(`${this.#slug}-${randomBytes(4).toString("hex")}`);
    this.defer(() => (this.#deleted.has(source) ? undefined : source.purge()));
    return source;
  }

  /** @throws {Error} where the rig declares it and does not implement it */
  async deleteSource(source: TestSource): Promise<void> {
    if (source.delete === undefined) throw notImplemented("TestSource.delete");
    this.#deleted.add(source);
    await this.within("the deletion of the source", source.delete());
  }

  async publisher(): Promise<Publisher> {
    const publisher = await this.rig.publisher();
    this.defer(() => publisher.close());
    return publisher;
  }

  async publish(source: TestSource, messages: readonly OutgoingMessage[]): Promise<void> {
    const publisher = await this.rig.publisher();
    try {
      await this.within("the publish", publisher.publish(source.destination, messages));
    } finally {
      await publisher.close();
    }
  }

  /** Publishes the entries and enters them in `ledger`. */
  async fill(
    source: TestSource,
    entries: readonly Entry[],
    ledger: Ledger = new Ledger(),
  ): Promise<Ledger> {
    for (const { key } of entries) ledger.publish(key);
    await this.#publishEntries(source, entries);
    return ledger;
  }

  async consume(source: TestSource, options: ScenarioConsumeOptions): Promise<Consumer> {
    const { member, tuning, mayFail, ...rest } = options;
    const consumer = await this.within(
      "the subscription",
      consume<Entry>({
        key: keyOfEntry,
        deserialize: entryOf,
        lanes: 8,
        window: 32,
        ...rest,
        subscriber: this.watch.subscriber(source.subscriber(member, tuning)),
        source: source.source,
      }),
    );
    consumer.closed.catch((error: Error) => {
      if (mayFail !== true) this.#died ??= error;
    });
    this.defer(() => consumer.stop());
    return consumer;
  }

  /** Subscribes without the engine. */
  async tap(
    source: TestSource,
    window: number,
    member?: number,
  ): Promise<{ tap: Tap; subscription: Subscription }> {
    const tap = new Tap();
    const subscriber = this.watch.subscriber(source.subscriber(member));
    const subscription = await this.within(
      "the subscription",
      subscriber.subscribe(source.source, { window }, tap),
    );
    this.defer(() => subscription.close());
    return { tap, subscription };
  }

  until(what: string, condition: () => boolean, seen: () => unknown): Promise<void> {
    const alive = (): boolean => {
      if (this.#died !== undefined) throw this.#died;
      return condition();
    };
    return until(what, this.deadline, alive, () => {
      const value = seen();
      return typeof value === "string" ? value : JSON.stringify(value);
    });
  }

  /** Waits until `count` deliveries have arrived, those settled meanwhile included. */
  arrivals(tap: Tap, count: number, what: string = `${count} deliveries`): Promise<void> {
    return this.until(
      what,
      () => tap.deliveries.length === count,
      () => tap.names,
    );
  }

  within<T>(what: string, promise: Promise<T>): Promise<T> {
    return within(what, this.deadline, promise);
  }

  /** Waits a little for what must not come. */
  quiet(): Promise<void> {
    return sleep(QUIET);
  }

  /** A random pause of 0, 1, 2 or 3 ms: about what shuffles handlers without slowing the suite. */
  async jitter(): Promise<void> {
    const ms = Math.floor(this.random() * 4);
    if (ms > 0) await sleep(ms);
  }

  /** The end of most scenarios: all is handled, the consumers drain, the broker holds nothing, the ledger is clean. */
  async settleUp(ledger: Ledger, source: TestSource, ...consumers: Consumer[]): Promise<void> {
    await this.finish(ledger, source, ...consumers);
    this.expectClean(ledger);
  }

  /** The same without a word on order. */
  async finish(ledger: Ledger, source: TestSource, ...consumers: Consumer[]): Promise<void> {
    await this.#complete(ledger);
    if (ledger.faulty) {
      // Repeats may still be on their way. Those of a key come before what is published after them.
      const fence = ledger.keys.map((key) => ({ key, seq: ledger.publish(key) }));
      await this.#publishEntries(source, fence);
      await this.#complete(ledger);
    }
    for (const consumer of consumers) {
      const result = await this.within("the drain", consumer.drain({ timeout: this.deadline }));
      assert.deepEqual(result, { complete: true, left: 0 }, "the drain left something");
    }
    assert.equal(await source.purge(), 0, "the broker still held messages");
  }

  /** Order was kept, and nothing was handled again without a fault. Says nothing of what is not done yet. */
  expectClean(ledger: Ledger): void {
    const { overlaps, violations, duplicates } = ledger.report();
    assert.deepEqual(
      { overlaps, violations, duplicates },
      { overlaps: 0, violations: 0, duplicates: 0 },
      ledger.findings.join("; "),
    );
  }

  /** Fails when the adapter broke a rule of the ports at any time. */
  expectPortsKept(): void {
    assert.deepEqual(this.watch.findings, [], `ports: ${this.watch.findings.join("; ")}`);
  }

  #publishEntries(source: TestSource, entries: readonly Entry[]): Promise<void> {
    const { keys } = this.capabilities;
    return this.publish(
      source,
      entries.map((entry) => outgoing(entry, keys)),
    );
  }

  #complete(ledger: Ledger): Promise<void> {
    return this.until(
      "every message to be done with",
      () => ledger.complete,
      () => ({ ...ledger.report(), findings: ledger.findings }),
    );
  }

  /** Undoes everything, whatever fails on the way. */
  async cleanUp(): Promise<Error[]> {
    const errors: Error[] = [];
    for (const cleanUp of this.#cleanUps.reverse()) {
      try {
        await this.within("the clean-up of a scenario", Promise.resolve(cleanUp()));
      } catch (error) {
        errors.push(error as Error);
      }
    }
    return errors;
  }
}
