import type { Connection } from "./connection.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Refusal } from "./faults.ts";
import type { Spooled } from "./message.ts";
import type { Partition } from "./partition.ts";
import {
  type AssuredControl,
  ackRangesOf,
  assuredParam,
  encodeAssured,
  encodeAssuredParam,
  windowOf,
} from "./smf/assured-control.ts";
import { readU64, u8, u32, u64, writeU64 } from "./smf/bytes.ts";
import { encodeFrame, encodeParam, encodeResponse } from "./smf/frame.ts";
import {
  AckOutcome,
  AssuredParam,
  AssuredType,
  ExtendedParam,
  FrameFlag,
  HeaderParam,
  Protocol,
} from "./smf/protocol.ts";

/** A parameter without which a message makes no sense. */
const required = 2;
const longestLife = 255;

interface Unacked {
  readonly spooled: Spooled;
  readonly partition: Partition;
}

/** A consumer bound to an endpoint: what it may be sent, and what it has in hand. */
export class ConsumerFlow {
  readonly id: number;
  readonly endpoint: Endpoint;
  readonly #connection: Connection;
  readonly #wantsChanges: boolean;
  /** Ids that the client had before this flow, on the one that it resumes. */
  readonly #resumedFrom: number;
  #window: number;
  /** Sent, and not received yet as far as is known: what the window limits. Rising. */
  readonly #onTheWay: number[] = [];
  /** By message id, rising but for what a resumed flow is sent again. */
  readonly #unacked = new Map<number, Unacked>();
  #previousId: number;
  #detached = false;

  constructor(
    id: number,
    endpoint: Endpoint,
    connection: Connection,
    options: {
      readonly window: number;
      readonly lastReceived: number;
      readonly wantsChanges: boolean;
    },
  ) {
    this.id = id;
    this.endpoint = endpoint;
    this.#connection = connection;
    this.#window = options.window;
    this.#resumedFrom = options.lastReceived;
    this.#previousId = options.lastReceived;
    this.#wantsChanges = options.wantsChanges;
  }

  /** There is credit, and room below the queue's own limit. */
  get ready(): boolean {
    return (
      this.#onTheWay.length < this.#window &&
      this.#unacked.size < this.endpoint.settings.maxDeliveredUnacked
    );
  }

  deliver(spooled: Spooled, partition: Partition): void {
    const { broker, clientName } = this.#connection;
    const { message } = spooled;
    const id = this.#idFor(spooled);
    spooled.wireId = id;
    spooled.lastClient = clientName;
    spooled.deliveries++;
    this.#unacked.set(id, { spooled, partition });
    this.#onTheWay.push(id);
    const params = [
      message.params,
      encodeParam(HeaderParam.messageId, u64(id), required),
      encodeParam(HeaderParam.previousMessageId, u64(this.#previousId), required),
      ...(spooled.redelivered
        ? [encodeParam(HeaderParam.redelivered, Buffer.alloc(0), required)]
        : []),
      encodeParam(HeaderParam.flowId, u32(this.id), required),
      ...this.#extended(spooled),
    ];
    this.#previousId = Math.max(this.#previousId, id);
    const flags =
      FrameFlag.guaranteed |
      (message.deadMessageQueueEligible ? FrameFlag.deadMessageQueueEligible : 0);
    const options = { flags, priority: message.priority, timeToLive: longestLife };
    this.#connection.send(encodeFrame(Protocol.message, params, message.body, options));
    broker.stats.delivered++;
  }

  /** @throws {MalformedFrame} */
  acknowledge(control: AssuredControl): void {
    for (const { first, last, outcome } of ackRangesOf(control)) {
      for (const id of this.#idsIn(first, last)) this.#settle(id, outcome);
    }
    const received = assuredParam(control, AssuredParam.lastAcked);
    if (received !== undefined) {
      const upTo = readU64(received, "a message id");
      while (this.#onTheWay.length > 0 && (this.#onTheWay[0] as number) <= upTo) {
        this.#onTheWay.shift();
      }
      this.#window = windowOf(control) ?? this.#window;
    }
    this.endpoint.pump();
  }

  activeChanged(active: boolean): void {
    if (!this.#wantsChanges) return;
    this.#connection.send(
      encodeFrame(
        Protocol.assuredCtrl,
        [],
        encodeAssured(AssuredType.flowChange, [
          encodeAssuredParam(AssuredParam.flowId, u32(this.id)),
          encodeAssuredParam(AssuredParam.active, u8(active ? 1 : 0)),
        ]),
      ),
    );
  }

  /** What it has of a partition goes back to the queue: the partition gets another consumer. */
  forget(partition: Partition): void {
    this.#giveBack((unacked) => unacked.partition === partition);
  }

  /** What it has goes back to the queue. */
  detach(): void {
    if (this.#detached) return;
    this.#detached = true;
    this.#giveBack(() => true);
    this.endpoint.detach(this);
  }

  /** The broker ends it, and tells the client why. */
  unbind({ code, text }: Refusal): void {
    this.#connection.forget(this);
    this.#connection.send(
      encodeFrame(
        Protocol.assuredCtrl,
        [encodeResponse(code, text)],
        encodeAssured(AssuredType.unbind, [encodeAssuredParam(AssuredParam.flowId, u32(this.id))]),
      ),
    );
    this.detach();
  }

  /**
   * Clients drop a message whose id is not above that of the last one, and acknowledge it where they have never seen it.
   * So an old id is kept only where it rises, or where the client has the message: it then hides it from its user.
   */
  #idFor({ wireId, lastClient }: Spooled): number {
    const { broker, clientName } = this.#connection;
    if (wireId > 0 && broker.settings.redeliveredIds === "same") {
      const hasIt = lastClient === clientName && wireId <= this.#resumedFrom;
      if (wireId > this.#previousId || hasIt) return wireId;
    }
    return broker.nextMessageId();
  }

  #extended({ id, deliveries }: Spooled): Buffer[] {
    const entries: Buffer[] = [];
    if (this.endpoint.settings.deliveryCount) {
      entries.push(extendedU32(ExtendedParam.redeliveries, deliveries - 1));
    }
    if (this.#connection.broker.settings.spoolIds) {
      entries.push(extendedU64(ExtendedParam.spoolId, id));
    }
    return entries.length === 0
      ? []
      : [encodeParam(HeaderParam.extended, Buffer.concat(entries), required)];
  }

  /** Ranges of acknowledgements cover ids that never were on this flow. */
  #idsIn(first: number, last: number): number[] {
    const ids: number[] = [];
    if (last - first < this.#unacked.size) {
      for (let id = first; id <= last; id++) if (this.#unacked.has(id)) ids.push(id);
    } else {
      for (const id of this.#unacked.keys()) if (id >= first && id <= last) ids.push(id);
    }
    return ids;
  }

  #settle(id: number, outcome: number): void {
    const { spooled, partition } = this.#unacked.get(id) as Unacked;
    const { stats } = this.#connection.broker;
    this.#unacked.delete(id);
    if (outcome === AckOutcome.accepted) {
      stats.acknowledged++;
      this.endpoint.remove(spooled, partition);
    } else if (outcome === AckOutcome.rejected) {
      stats.rejected++;
      this.endpoint.dismiss(spooled, partition);
    } else {
      stats.failed++;
      spooled.wireId = 0; // The client has settled it: with the old id it would hide it.
      this.endpoint.putBack(spooled, partition);
    }
  }

  /** The newest first: the shelf then puts each where it looks first. */
  #giveBack(which: (unacked: Unacked) => boolean): void {
    for (const [id, unacked] of [...this.#unacked].reverse()) {
      if (!which(unacked)) continue;
      this.#unacked.delete(id);
      this.endpoint.putBack(unacked.spooled, unacked.partition);
    }
  }
}

/** Type and length code in two bytes: 3 = four bytes follow, 4 = eight. */
function extendedU32(type: number, value: number): Buffer {
  return Buffer.concat([Buffer.from([0x30 | (type >> 8), type & 0xff]), u32(value)]);
}

function extendedU64(type: number, value: number): Buffer {
  const bytes = Buffer.from([0x40 | (type >> 8), type & 0xff, 0, 0, 0, 0, 0, 0, 0, 0]);
  writeU64(bytes, value, 2);
  return bytes;
}
