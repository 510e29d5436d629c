import { setTimeout as sleep } from "node:timers/promises";
import { type ErrorCode, LabError } from "@lab/core";
import { Backoff, toError } from "@lab/core/adapter";
import type { CommittedOffset, GroupClient, GroupEvents } from "../client.ts";
import type { SubscriberSettings } from "../options.ts";
import { claimGroup } from "./claim.ts";
import { Membership } from "./membership.ts";
import { committedOffsets, offsetsAt } from "./offsets.ts";
import { type Fault, faultOf, protocolError } from "./refusal.ts";

/** After so many crashes of a kind that nobody knows, without a record in between, it is over. */
const mostOddCrashes = 5;

/** A membership that has lasted so long, in ms, was a good one. */
const goodLife = 60_000;

export interface KafkajsGroupOptions {
  readonly topic: string;
  readonly settings: SubscriberSettings;
  readonly events: GroupEvents;
}

/** A member of a group on kafkajs: one membership after the other, for as long as it is open. */
export class KafkajsGroup implements GroupClient {
  readonly #topic: string;
  readonly #settings: SubscriberSettings;
  readonly #events: GroupEvents;
  readonly #backoff: Backoff = new Backoff({ base: 100, cap: 30_000, jitter: 0.5 });
  readonly #ending = new AbortController();
  #membership: Membership | undefined;
  #joinedAt = 0;
  #oddCrashes = 0;
  /** The brokers refuse metadata of our size. */
  #plain = false;
  #restoring: Promise<void> = Promise.resolve();
  #release: () => void = () => {};
  #closing: Promise<void> | undefined;

  constructor({ topic, settings, events }: KafkajsGroupOptions) {
    this.#topic = topic;
    this.#settings = settings;
    this.#events = events;
  }

  async open(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const { kafka, groupId } = this.#settings;
    this.#release = claimGroup(kafka, groupId, this.#topic);
    let abort = (): void => {};
    const aborted = new Promise<never>((_, reject) => {
      abort = () => reject(signal?.reason);
      signal?.addEventListener("abort", abort, { once: true });
    });
    try {
      await Promise.race([this.#enterFirst(), aborted]);
    } catch (thrown) {
      await this.close();
      throw signal?.aborted ? signal.reason : this.#faultOf(thrown).error;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  async commit(offsets: readonly CommittedOffset[]): Promise<void> {
    const membership = this.#current();
    const stored = this.#plain ? offsets.map((offset) => ({ ...offset, metadata: "" })) : offsets;
    try {
      await membership.commit(stored);
    } catch (error) {
      const type = protocolError(error);
      if (type === "OFFSET_METADATA_TOO_LARGE") this.#commitPlain();
      if (type?.endsWith("_AUTHORIZATION_FAILED")) this.#crashed(membership, toError(error));
      throw error;
    }
  }

  async committed(): Promise<readonly CommittedOffset[]> {
    const { cluster, partitions } = this.#current();
    return committedOffsets(cluster, this.#settings.groupId, this.#topic, partitions);
  }

  async positions(at: "end" | number): Promise<ReadonlyMap<number, number>> {
    const { cluster, partitions } = this.#current();
    return offsetsAt(cluster, this.#topic, partitions, at);
  }

  pause(partition: number): void {
    this.#membership?.pause(partition);
  }

  resume(partition: number): void {
    this.#membership?.resume(partition);
  }

  seek(partition: number, offset: number): void {
    this.#membership?.seek(partition, offset);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#ending.abort();
    await this.#membership?.leave();
    await this.#restoring;
    this.#release();
  }

  #current(): Membership {
    if (this.#membership === undefined) throw new Error("There is no membership at present");
    return this.#membership;
  }

  /** As #enter. What a broker says will pass, such as that it is still loading its groups, is waited for. */
  async #enterFirst(): Promise<void> {
    const { signal } = this.#ending;
    const deadline = performance.now() + this.#settings.connectTimeout;
    for (;;) {
      try {
        return await this.#enter();
      } catch (thrown) {
        const passes =
          protocolError(thrown) !== undefined && this.#faultOf(thrown).kind === "passing";
        if (!passes || performance.now() > deadline || signal.aborted) throw thrown;
        await this.#membership?.leave();
        await sleep(this.#backoff.next(), undefined, { signal });
      }
    }
  }

  async #enter(): Promise<void> {
    const membership = this.#newMembership();
    this.#membership = membership;
    const { connectTimeout } = this.#settings;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new Error(`no connection within ${connectTimeout} ms`)),
        connectTimeout,
      );
    });
    try {
      await Promise.race([membership.connect(), late]);
    } finally {
      clearTimeout(timer);
    }
    if (this.#ending.signal.aborted) return;
    await membership.join();
    this.#joinedAt = performance.now();
    this.#events.connection("connected");
  }

  #newMembership(): Membership {
    const settings = this.#settings;
    try {
      const membership: Membership = new Membership({
        topic: this.#topic,
        settings,
        events: {
          rebalancing: () => this.#events.rebalancing(),
          assigned: (partitions, continued) => this.#events.assigned(partitions, continued),
          skipped: (partition, next) => this.#events.skipped(partition, next),
          records: (fetched) => {
            this.#oddCrashes = 0;
            return this.#events.records(fetched);
          },
        },
        link: (up) => this.#linkChanged(up),
        crashed: (error) => this.#crashed(membership, error),
      });
      return membership;
    } catch (thrown) {
      const cause = toError(thrown);
      const text = `kafkajs refuses the options in \`consumer\`: ${cause.message} Correct them.`;
      throw new LabError("INVALID_OPTION", text, { cause });
    }
  }

  #linkChanged(up: boolean): void {
    if (up) this.#events.connection("connected");
    else this.#events.connection("reconnecting", this.#lost(new Error("they are gone")));
  }

  #crashed(membership: Membership, error: Error): void {
    if (membership !== this.#membership || this.#ending.signal.aborted) return;
    this.#membership = undefined;
    if (performance.now() - this.#joinedAt > goodLife) this.#backoff.reset();
    this.#events.assigned([], false);
    this.#restoring = this.#restore(membership, this.#faultOf(error));
  }

  /** Makes new memberships until one is good. */
  async #restore(crashed: Membership, first: Fault): Promise<void> {
    const { signal } = this.#ending;
    let fault = first;
    let left = crashed.leave();
    for (;;) {
      await left;
      if (signal.aborted) return;
      if (fault.kind === "odd") this.#oddCrashes++;
      if (fault.kind === "final" || this.#oddCrashes > mostOddCrashes) {
        this.#fail(fault.error);
        return;
      }
      this.#events.connection("reconnecting", this.#lost(fault.error));
      await sleep(this.#backoff.next(), undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      try {
        await this.#enter();
        return;
      } catch (thrown) {
        fault = this.#faultOf(thrown);
        left = this.#membership?.leave() ?? Promise.resolve();
        this.#membership = undefined;
      }
    }
  }

  #fail(error: LabError): void {
    this.#ending.abort();
    this.#release();
    const code: ErrorCode = "SUBSCRIPTION_FAILED";
    const text = `The subscription to "${this.#topic}" has ended. ${error.message}`;
    this.#events.failed(error.code === code ? error : new LabError(code, text, { cause: error }));
  }

  #faultOf(thrown: unknown): Fault {
    return faultOf(thrown, { topic: this.#topic, groupId: this.#settings.groupId });
  }

  #lost(cause: Error): LabError {
    const text = `Lost the connections to Kafka for topic "${this.#topic}": ${cause.message}`;
    return new LabError("CONNECTION_LOST", text, { cause });
  }

  #commitPlain(): void {
    this.#plain = true;
    process.emitWarning(
      "The brokers take less metadata with a commit than Kafka's default of 4096 bytes (offset.metadata.max.bytes): " +
        "`completionsInMetadata` is off for this subscription. Have the limit raised.",
      { code: "LAB_KAFKA_METADATA" },
    );
  }
}
