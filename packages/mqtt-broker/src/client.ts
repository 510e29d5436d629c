import { Acknowledgements } from "./acknowledgements.ts";
import { decodeControl, encodeControl } from "./codec/control.ts";
import type { ConnectRequest } from "./connect-request.ts";
import type { Connection } from "./connection.ts";
import type { Hub } from "./hub.ts";
import { Inbound, readAcknowledgement } from "./inbound.ts";
import { ClientLine } from "./line.ts";
import { malformed, PacketFault, protocolError, Reason } from "./reason.ts";
import type { Session, SessionClient } from "./session.ts";
import { allowed, grant, readSubscribe, unsubscribe } from "./subscribing.ts";
import type { ClientInfo } from "./types.ts";

/** Types of packets that clients send. */
const Type = {
  publish: 3,
  puback: 4,
  pubrec: 5,
  pubrel: 6,
  pubcomp: 7,
  subscribe: 8,
  unsubscribe: 10,
  pingreq: 12,
  disconnect: 14,
} as const;

const pingresp = Buffer.from([0xd0, 0]);

/** Calls of `onMessages` that may be under way before nothing more is read. */
const mostShown = 64;

/** A client that has been let in: does what its packets say. */
export class Client implements SessionClient {
  readonly info: ClientInfo;
  readonly session: Session;
  readonly line: ClientLine;
  readonly #hub: Hub;
  readonly #connection: Connection;
  readonly #inbound: Inbound;
  readonly #acknowledgements: Acknowledgements;
  readonly #askedExpiry: number;
  /** Something was acknowledged in this turn, so there is room to send more. */
  #room = false;
  #shown = 0;

  constructor(
    hub: Hub,
    connection: Connection,
    info: ClientInfo,
    session: Session,
    request: ConnectRequest,
  ) {
    this.#hub = hub;
    this.#connection = connection;
    this.info = info;
    this.session = session;
    this.#askedExpiry = request.expiry;
    this.line = new ClientLine(connection.wire, request);
    this.#inbound = new Inbound(hub, session, info);
    this.#acknowledgements = new Acknowledgements(this.line, session.received, () => hub.flush());
  }

  /** Says goodbye in MQTT 5; 3.1.1 has no word for it. */
  close(reasonCode: number, reason: string): void {
    if (this.#connection.closed) return;
    if (this.info.protocolVersion === 5) {
      const properties = { reasonString: reason };
      this.#write(encodeControl({ cmd: "disconnect", reasonCode, properties }, 5));
    }
    this.ended(reasonCode, reason);
    this.#connection.end();
  }

  /** The connection is gone, or about to be closed. */
  ended(reasonCode: number, reason: string): void {
    if (!this.#hub.clients.delete(this)) return;
    this.#hub.sentBefore += this.line.sent;
    this.#hub.tell("disconnect", this.info, { reasonCode, reason });
    this.#hub.sessions.detach(this.session);
  }

  /** @throws {PacketFault} */
  take(bytes: Buffer, header: number, start: number, end: number): void {
    const type = header >> 4;
    const flags =
      type === Type.pubrel || type === Type.subscribe || type === Type.unsubscribe ? 2 : 0;
    if (type !== Type.publish && (header & 15) !== flags) {
      throw malformed("The flags of a packet are not those of its type.");
    }
    switch (type) {
      case Type.publish:
        this.#publish(bytes, header, start, end);
        break;
      case Type.puback:
      case Type.pubrec:
      case Type.pubrel:
      case Type.pubcomp:
        this.#acknowledged(type, bytes, start, end);
        break;
      case Type.subscribe:
        this.#subscribe(bytes, start, end);
        break;
      case Type.unsubscribe:
        this.#write(unsubscribe(this.#hub, this.session, this.info, bytes, start, end));
        break;
      case Type.pingreq:
        if (start !== end) throw malformed("A PINGREQ has contents.");
        this.#write(pingresp);
        break;
      case Type.disconnect:
        this.#disconnect(bytes, start, end);
        break;
      default:
        throw protocolError(`A client may not send a packet of type ${type} now.`);
    }
  }

  /** The end of what one read of the socket has brought. */
  turn(): void {
    const { onMessages } = this.#hub.settings;
    const shown = onMessages && this.#hub.show(onMessages, this.#inbound.takeBatch(), this.info);
    const pressed = this.#hub.pressure.take();
    const wait =
      shown === undefined && pressed === undefined ? undefined : this.#wait(shown, pressed);
    this.#acknowledgements.release(wait);
    if (this.#room) {
      this.#room = false;
      this.session.pump();
    }
  }

  /** Resolves to 0, or to the reason to refuse what has come. Meanwhile not much more is read. */
  async #wait(shown: Promise<number> | undefined, pressed: Promise<unknown> | undefined) {
    // A client of 5 knows how much it may send; those of 3.1.1 are held up by TCP.
    const held = this.info.protocolVersion === 4 ? this.#acknowledgements.size : 0;
    const pause = ++this.#shown >= mostShown || held > this.#hub.settings.receiveMaximum;
    if (pause) this.#connection.pause();
    await pressed;
    const refusal = (await shown) ?? Reason.success;
    this.#shown--;
    if (refusal !== Reason.success && this.info.protocolVersion === 4) {
      this.close(refusal, "The application did not accept what was published.");
    }
    if (pause) this.#connection.resume();
    return refusal;
  }

  #write(packet: Buffer): void {
    this.#connection.wire.write(packet);
  }

  #publish(bytes: Buffer, header: number, start: number, end: number): void {
    const qos = (header >> 1) & 3;
    if (qos > 0 && this.info.protocolVersion === 5) {
      const open = this.#acknowledgements.size + this.session.received.size;
      const { receiveMaximum } = this.#hub.settings;
      if (open >= receiveMaximum) {
        const text = `More than ${receiveMaximum} messages are not acknowledged.`;
        throw new PacketFault(Reason.receiveMaximumExceeded, text);
      }
    }
    const acknowledgement = this.#inbound.publish(bytes, header, start, end);
    if (qos > 0) this.#acknowledgements.add(acknowledgement, qos);
  }

  #acknowledged(type: number, bytes: Buffer, start: number, end: number): void {
    const { outbox, received } = this.session;
    const read = readAcknowledgement(bytes, start, end, this.info.protocolVersion);
    const packetId = read & 0xffff;
    this.#room = true;
    if (type === Type.puback) {
      outbox.puback(packetId);
    } else if (type === Type.pubcomp) {
      outbox.pubcomp(packetId);
    } else if (type === Type.pubrel) {
      const known = received.delete(packetId);
      this.line.pubcomp(packetId, known ? Reason.success : Reason.packetIdNotFound);
    } else {
      const next = outbox.pubrec(packetId, read >> 16 >= Reason.unspecified);
      if (next === "release") this.line.pubrel(packetId);
      if (next === "unknown") this.line.pubrel(packetId, Reason.packetIdNotFound);
    }
  }

  #subscribe(bytes: Buffer, start: number, end: number): void {
    const request = readSubscribe(bytes, start, end, this.info.protocolVersion);
    const answer = (isAllowed: readonly boolean[] | undefined): void =>
      grant(this.#hub, this.session, this.info, request, isAllowed, (suback) =>
        this.#write(suback),
      );
    const asked = allowed(this.#hub, this.info, request);
    if (asked === undefined) {
      answer(undefined);
      return;
    }
    this.#connection.pause();
    void asked.then((isAllowed) => {
      if (this.#connection.closed) return;
      answer(isAllowed);
      this.#connection.resume();
    });
  }

  #disconnect(bytes: Buffer, start: number, end: number): void {
    const { reasonCode = 0, properties } = decodeControl(
      "disconnect",
      bytes,
      start,
      end,
      this.info.protocolVersion,
    );
    const expiry = properties?.sessionExpiryInterval;
    if (expiry !== undefined) {
      if (expiry > 0 && this.#askedExpiry === 0) {
        throw protocolError("DISCONNECT gives an expiry to a session that had none.");
      }
      this.session.expiry = Math.min(expiry, this.#hub.settings.maxSessionExpiry);
    }
    if (reasonCode !== Reason.disconnectWithWill) this.session.will = undefined;
    this.turn(); // What it has published comes before its end.
    this.ended(reasonCode, "The client has disconnected.");
    this.#connection.end();
  }
}
