import { Backlog, type BacklogLimits, type Delivery, type Pressure } from "./backlog.ts";
import { InFlight, InFlightTable, unkept } from "./in-flight.ts";
import type { Message } from "./message.ts";
import { protocolError } from "./reason.ts";
import type { SharedGroup } from "./shared-group.ts";
import type { Qos } from "./types.ts";

/** The connection of a session's client, as its outbox uses it. */
export interface Line {
  /** No more than a chunk is written while the socket has not taken what was. */
  readonly blocked: boolean;
  /** Most QoS 1 and 2 messages unacknowledged at once. */
  readonly window: number;
  /** Writes PUBLISH; false when the client does not take packets so large. */
  publish(
    message: Message,
    qos: Qos,
    retain: boolean,
    identifiers: readonly number[] | undefined,
    packetId: number,
    dup: boolean,
  ): boolean;
  pubrel(packetId: number): void;
}

export interface OutboxEvents {
  /** The client has to be disconnected: its queue is full, or has been half full for too long. */
  slow(why: string): void;
  dropped(reason: "queue-full" | "slow-client" | "packet-too-large"): void;
}

/** What a session has to send: in flight, to be sent again, and queued, in this order. */
export class Outbox {
  readonly #limits: BacklogLimits;
  readonly #events: OutboxEvents;
  readonly #queue: Backlog<Delivery>;
  readonly #inFlight = new InFlightTable();
  /** What was in flight when the connection was made, and has not been sent on it yet. */
  #again: InFlight[] = [];
  #line: Line | undefined;
  /** Unacknowledged on this connection. */
  #unacknowledged = 0;
  #ended = false;
  /** The session outlives the connection, so that messages in flight are to be sent again. */
  persistent = false;

  constructor(limits: BacklogLimits, pressure: Pressure, events: OutboxEvents) {
    this.#limits = limits;
    this.#events = events;
    this.#queue = new Backlog(limits, pressure, () => {
      events.slow(`Its queue was more than half full for ${limits.slowClientTimeout} ms.`);
    });
  }

  get queued(): number {
    return this.#queue.size;
  }

  /** Sends again what the last connection left unacknowledged, then what waits. */
  attach(line: Line): void {
    this.#line = line;
    this.#unacknowledged = 0;
    this.#again = this.#inFlight.kept().reverse();
    for (const entry of this.#again) entry.sent = false;
    this.#queue.live = true;
    this.pump();
  }

  detach(): void {
    this.#line = undefined;
    this.#again = [];
    this.#queue.live = false;
  }

  /** A message of this QoS could be sent at once. */
  canSend(qos: number): boolean {
    const line = this.#line;
    return (
      line !== undefined &&
      !line.blocked &&
      this.#queue.size === 0 &&
      this.#again.length === 0 &&
      (qos === 0 || this.#unacknowledged < line.window)
    );
  }

  /** Sends, queues or drops. */
  deliver(
    message: Message,
    qos: Qos,
    retain: boolean,
    identifiers: readonly number[] | undefined,
    group: SharedGroup | undefined,
  ): void {
    if (this.#ended) return;
    if (this.canSend(qos)) this.#send(message, qos, retain, identifiers, group, undefined);
    else this.#enqueue({ message, qos, retain, identifiers, group });
  }

  /** Sends what can be sent. */
  pump(): void {
    const line = this.#line;
    if (line === undefined) return;
    while (this.#again.length > 0) {
      if (line.blocked || this.#unacknowledged >= line.window) return;
      this.#sendAgain(line, this.#again.pop() as InFlight);
    }
    for (;;) {
      const next = this.#queue.peek();
      if (next === undefined || line.blocked) return;
      if (next.qos > 0 && this.#unacknowledged >= line.window) return;
      this.#queue.shift();
      const { message, qos, retain, identifiers, group } = next;
      if (!message.expired) this.#send(message, qos, retain, identifiers, group, next);
    }
  }

  /** @throws {PacketFault} */
  puback(packetId: number): void {
    const entry = this.#inFlight.get(packetId);
    if (entry === undefined) return;
    if (entry.qos !== 1) throw protocolError("PUBACK for a message of QoS 2.");
    this.#done(packetId, entry);
  }

  /**
   * Returns whether PUBREL follows; `unknown` = for a message that is not there.
   * @throws {PacketFault}
   */
  pubrec(packetId: number, refused: boolean): "release" | "refused" | "unknown" {
    const entry = this.#inFlight.get(packetId);
    if (entry === undefined) return "unknown";
    if (entry.qos !== 2) throw protocolError("PUBREC for a message of QoS 1.");
    if (refused) {
      this.#done(packetId, entry);
      return "refused";
    }
    this.#forget(entry);
    entry.released = true;
    return "release";
  }

  /** @throws {PacketFault} */
  pubcomp(packetId: number): void {
    const entry = this.#inFlight.get(packetId);
    if (entry === undefined) return;
    if (!entry.released) throw protocolError("PUBCOMP for a message without PUBREC.");
    this.#done(packetId, entry);
  }

  /** Forgets everything; returns what came through shared subscriptions and may go to others, oldest first. */
  end(): Delivery[] {
    this.#ended = true;
    const shared: Delivery[] = [];
    const collect = (delivery: Delivery | undefined): void => {
      if (delivery?.group !== undefined && delivery.qos === 1) shared.push(delivery);
    };
    for (const { delivery } of this.#inFlight.kept()) collect(delivery);
    for (const delivery of this.#queue) collect(delivery);
    this.detach();
    this.#inFlight.clear();
    this.#queue.clear();
    return shared;
  }

  #send(
    message: Message,
    qos: Qos,
    retain: boolean,
    identifiers: readonly number[] | undefined,
    group: SharedGroup | undefined,
    queued: Delivery | undefined,
  ): void {
    const line = this.#line as Line;
    const id = qos === 0 ? 0 : this.#inFlight.newId();
    if (!line.publish(message, qos, retain, identifiers, id, false)) {
      this.#events.dropped("packet-too-large");
      return;
    }
    if (qos === 0) return;
    this.#unacknowledged++;
    if (this.persistent || group !== undefined) {
      this.#queue.hold(message);
      const delivery = queued ?? { message, qos, retain, identifiers, group };
      this.#inFlight.add(id, new InFlight(id, qos, delivery));
    } else {
      this.#inFlight.add(id, qos === 1 ? unkept : new InFlight(id, qos, undefined));
    }
  }

  #sendAgain(line: Line, entry: InFlight): void {
    const { packetId, delivery } = entry;
    if (this.#inFlight.get(packetId) !== entry) return; // Acknowledged meanwhile.
    if (entry.released) {
      line.pubrel(packetId);
    } else {
      const { message, qos, retain, identifiers } = delivery as Delivery; // The session is persistent.
      if (!line.publish(message, qos, retain, identifiers, packetId, true)) {
        this.#forget(entry);
        this.#inFlight.delete(packetId);
        this.#events.dropped("packet-too-large");
        return;
      }
    }
    entry.sent = true;
    this.#unacknowledged++;
  }

  #enqueue(delivery: Delivery): void {
    const connected = this.#line !== undefined;
    if (delivery.qos === 0) {
      if (!connected) return; // QoS 0 is for who is there.
      if (this.#queue.halfFull) {
        this.#events.dropped("slow-client");
        return;
      }
    } else if (this.#queue.full) {
      this.#events.dropped("queue-full");
      const { maxQueuedMessages, maxQueuedBytes } = this.#limits;
      const limits = `${maxQueuedMessages} messages or ${maxQueuedBytes} bytes`;
      if (connected) this.#events.slow(`Its queue is full: ${limits}.`);
      return;
    }
    this.#queue.push(delivery);
  }

  #done(packetId: number, entry: InFlight): void {
    this.#inFlight.delete(packetId);
    this.#forget(entry);
    if (entry.sent) this.#unacknowledged--;
  }

  /** Lets go of the message. */
  #forget(entry: InFlight): void {
    if (entry.delivery === undefined) return;
    this.#queue.release(entry.delivery.message);
    entry.delivery = undefined;
  }
}
