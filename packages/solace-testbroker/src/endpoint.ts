import type { ConsumerFlow } from "./consumer-flow.ts";
import type { Refusal } from "./faults.ts";
import type { PublishedMessage, Spooled } from "./message.ts";
import type { QueueSettings } from "./options.ts";
import { evenly, Partition, partitionOfKey } from "./partition.ts";
import { matchesTopic } from "./topic.ts";

export type EndpointKind = "queue" | "topic endpoint";

const megabyte = 1_000_000;

/** A durable queue or topic endpoint: what it holds, and which consumer gets it. */
export class Endpoint {
  readonly kind: EndpointKind;
  readonly name: string;
  readonly number: number;
  readonly settings: QueueSettings;
  readonly subscriptions: Set<string> = new Set();
  /** In the order in which they were bound. */
  readonly flows: ConsumerFlow[] = [];
  /** Why no consumer is served, while none is. */
  shutdown: Refusal | undefined;
  readonly #partitions: readonly Partition[];
  readonly #bury: (message: PublishedMessage, deadMessageQueue: string) => void;
  #bytes = 0;
  #turn = 0;

  /** `bury` takes what is dead. */
  constructor(
    kind: EndpointKind,
    name: string,
    number: number,
    settings: QueueSettings,
    bury: (message: PublishedMessage, deadMessageQueue: string) => void,
  ) {
    this.kind = kind;
    this.name = name;
    this.number = number;
    this.settings = settings;
    this.#bury = bury;
    this.#partitions = Array.from({ length: settings.partitions || 1 }, () => new Partition());
  }

  get exclusive(): boolean {
    return this.settings.access === "exclusive";
  }

  get ready(): number {
    return this.#partitions.reduce((sum, { shelf }) => sum + shelf.length, 0);
  }

  get unacknowledged(): number {
    return this.#partitions.reduce((sum, { unacked }) => sum + unacked.size, 0);
  }

  takes(topic: string): boolean {
    for (const subscription of this.subscriptions) {
      if (matchesTopic(subscription, topic)) return true;
    }
    return false;
  }

  /** Says why a message cannot be taken, or `undefined` where it can. */
  refusalOf({ body }: PublishedMessage): Refusal | undefined {
    if (body.length > this.settings.maxMessageSize) {
      return { code: 400, text: "Document Is Too Large" };
    }
    if (this.#bytes + body.length > this.settings.quotaMb * megabyte) {
      return { code: 503, text: "Spool Over Quota" };
    }
    return undefined;
  }

  spool(id: number, message: PublishedMessage): void {
    const { partitions } = this.settings;
    const spooled = { id, message, deliveries: 0, redelivered: false, wireId: 0, lastClient: "" };
    const key = message.partitionKey;
    const place = key === undefined ? id % (partitions || 1) : partitionOfKey(key, partitions || 1);
    this.#bytes += message.body.length;
    (this.#partitions[place] as Partition).shelf.add(spooled);
    this.pump();
  }

  attach(flow: ConsumerFlow): void {
    this.flows.push(flow);
    this.#rebalance();
  }

  detach(flow: ConsumerFlow): void {
    const at = this.flows.indexOf(flow);
    if (at < 0) return;
    this.flows.splice(at, 1);
    this.#rebalance();
    if (this.exclusive && at === 0) this.flows[0]?.activeChanged(true);
    this.pump();
  }

  /** Is this the consumer that is served? */
  isActive(flow: ConsumerFlow): boolean {
    return !this.exclusive || this.flows[0] === flow;
  }

  /** A consumer is done with a message for good. */
  remove(spooled: Spooled, partition: Partition): void {
    this.#bytes -= spooled.message.body.length;
    this.#released(spooled, partition);
  }

  /** A message goes to the dead message queue, if it may. */
  dismiss(spooled: Spooled, partition: Partition): void {
    this.remove(spooled, partition);
    if (spooled.message.deadMessageQueueEligible) {
      this.#bury(spooled.message, this.settings.deadMessageQueue);
    }
  }

  /** A message is to be delivered again, unless that was tried too often. */
  putBack(spooled: Spooled, partition: Partition): void {
    const { maxRedelivery } = this.settings;
    if (maxRedelivery > 0 && spooled.deliveries > maxRedelivery) {
      this.dismiss(spooled, partition);
      return;
    }
    spooled.redelivered = true;
    partition.shelf.putBack(spooled);
    this.#released(spooled, partition);
  }

  /** Removes what waits, and says how much it was. */
  purge(): number {
    this.#bytes = 0;
    for (const { unacked } of this.#partitions) {
      for (const { message } of unacked) this.#bytes += message.body.length;
    }
    return this.#partitions.reduce((sum, { shelf }) => sum + shelf.clear(), 0);
  }

  /** Delivers what can be delivered: a message of each partition in turn. */
  pump(): void {
    if (this.shutdown !== undefined) return;
    for (let progress = true; progress; ) {
      progress = false;
      for (const partition of this.#partitions) {
        const flow = partition.shelf.length > 0 ? this.#next(partition) : undefined;
        if (flow === undefined) continue;
        const spooled = partition.shelf.take() as Spooled;
        partition.unacked.add(spooled);
        flow.deliver(spooled, partition);
        progress = true;
      }
    }
  }

  close(): void {
    for (const { handoff } of this.#partitions) clearTimeout(handoff);
  }

  #next(partition: Partition): ConsumerFlow | undefined {
    if (this.settings.partitions > 0) {
      const { owner, heir } = partition;
      return heir === undefined && owner?.ready ? owner : undefined;
    }
    if (this.exclusive) return this.flows[0]?.ready ? this.flows[0] : undefined;
    for (let tried = 0; tried < this.flows.length; tried++) {
      const flow = this.flows[this.#turn++ % this.flows.length] as ConsumerFlow;
      if (flow.ready) return flow;
    }
    return undefined;
  }

  #released(spooled: Spooled, partition: Partition): void {
    partition.unacked.delete(spooled);
    if (partition.heir !== undefined && partition.unacked.size === 0) {
      partition.give(partition.heir);
    }
  }

  #rebalance(): void {
    if (this.settings.partitions === 0) return;
    const owners = evenly(this.#partitions, this.flows);
    for (const [index, partition] of this.#partitions.entries()) {
      this.#move(partition, owners[index]);
    }
  }

  #move(partition: Partition, to: ConsumerFlow | undefined): void {
    const { owner } = partition;
    clearTimeout(partition.handoff);
    partition.heir = undefined;
    if (to === owner) return;
    if (owner === undefined || to === undefined || partition.unacked.size === 0) {
      partition.give(to);
      return;
    }
    partition.heir = to;
    partition.handoff = setTimeout(() => {
      owner.forget(partition);
      this.pump();
    }, this.settings.maxHandoffTime);
  }
}
