import { Backlog, type BacklogLimits, type Delivery, type Pressure } from "./backlog.ts";
import { protocolError } from "./reason.ts";

/** The connection of a session's client, as its outbox uses it. */
export interface Line {
  /** No more than a chunk is written while the socket has not taken what was. */
  readonly blocked: boolean;
  /** Most QoS 1 and 2 messages unacknowledged at once. */
  readonly window: number;
  /** Writes PUBLISH; false when the client does not take packets so large. */
  publish(delivery: Delivery, packetId: number, dup: boolean): boolean;
  pubrel(packetId: number): void;
}

export interface OutboxEvents {
  /** The client has to be disconnected: its queue is full, or has been half full for too long. */
  slow(why: string): void;
  dropped(reason: "queue-full" | "slow-client" | "packet-too-large"): void;
}

const largestPacketId = 65_535;

class InFlight {
  readonly packetId: number;
  readonly qos: number;
  /** Absent where nobody will ever send it again. */
  delivery: Delivery | undefined;
  /** PUBREC has come: what is sent again is PUBREL. */
  released = false;
  /** On this connection. */
  sent = true;

  constructor(packetId: number, qos: number, delivery: Delivery | undefined) {
    this.packetId = packetId;
    this.qos = qos;
    this.delivery = delivery;
  }
}

/** What a session has to send: in flight, to be sent again, and queued, in this order. */
export class Outbox {
  readonly #limits: BacklogLimits;
  readonly #events: OutboxEvents;
  readonly #queue: Backlog<Delivery>;
  /** By packet id, in the order sent. */
  readonly #inFlight = new Map<number, InFlight>();
  /** What was in flight when the connection was made, and has not been sent on it yet. */
  #again: InFlight[] = [];
  #line: Line | undefined;
  /** Unacknowledged on this connection. */
  #unacknowledged = 0;
  #lastId = 0;
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
    this.#again = [...this.#inFlight.values()].reverse();
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
  deliver(delivery: Delivery): void {
    if (this.#ended) return;
    if (this.canSend(delivery.qos)) this.#send(delivery);
    else this.#enqueue(delivery);
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
      if (!next.message.expired) this.#send(next);
    }
  }

  /** @throws {PacketFault} */
  puback(packetId: number): void {
    const entry = this.#inFlight.get(packetId);
    if (entry === undefined) return;
    if (entry.qos !== 1) throw protocolError("PUBACK for a message of QoS 2.");
    this.#done(entry);
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
      this.#done(entry);
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
    this.#done(entry);
  }

  /** Forgets everything; returns what came through shared subscriptions and may go to others, oldest first. */
  end(): Delivery[] {
    this.#ended = true;
    const shared: Delivery[] = [];
    const collect = (delivery: Delivery | undefined): void => {
      if (delivery?.group !== undefined && delivery.qos === 1) shared.push(delivery);
    };
    for (const { delivery } of this.#inFlight.values()) collect(delivery);
    for (const delivery of this.#queue) collect(delivery);
    this.detach();
    this.#inFlight.clear();
    this.#queue.clear();
    return shared;
  }

  #send(delivery: Delivery): void {
    const line = this.#line as Line;
    const { qos, message } = delivery;
    const id = qos === 0 ? 0 : this.#newId();
    if (!line.publish(delivery, id, false)) {
      this.#events.dropped("packet-too-large");
      return;
    }
    if (qos === 0) return;
    this.#unacknowledged++;
    const kept = this.persistent || delivery.group !== undefined;
    if (kept) this.#queue.hold(message);
    this.#inFlight.set(id, new InFlight(id, qos, kept ? delivery : undefined));
  }

  #sendAgain(line: Line, entry: InFlight): void {
    if (this.#inFlight.get(entry.packetId) !== entry) return; // Acknowledged meanwhile.
    if (entry.released) line.pubrel(entry.packetId);
    else if (entry.delivery === undefined || !line.publish(entry.delivery, entry.packetId, true)) {
      this.#forget(entry);
      this.#inFlight.delete(entry.packetId);
      this.#events.dropped("packet-too-large");
      return;
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

  #done(entry: InFlight): void {
    this.#inFlight.delete(entry.packetId);
    this.#forget(entry);
    if (entry.sent) this.#unacknowledged--;
  }

  /** Lets go of the message. */
  #forget(entry: InFlight): void {
    if (entry.delivery === undefined) return;
    this.#queue.release(entry.delivery.message);
    entry.delivery = undefined;
  }

  #newId(): number {
    do {
      this.#lastId = this.#lastId === largestPacketId ? 1 : this.#lastId + 1;
    } while (this.#inFlight.has(this.#lastId));
    return this.#lastId;
  }
}
