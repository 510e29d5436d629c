import type { Duplex } from "node:stream";
import { admit } from "./admission.ts";
import type { Client } from "./client.ts";
import { encodeControl } from "./codec/control.ts";
import { Framer } from "./codec/framer.ts";
import { type ConnectRequest, readConnect, versionOf } from "./connect-request.ts";
import type { Hub } from "./hub.ts";
import { PacketFault, protocolError, Reason, returnCode } from "./reason.ts";
import { Wire } from "./wire.ts";

/** CONNECT needs no more, and who sends it is not known yet. */
const largestConnect = 524_288;

/** How long a socket may take to send what is left and to close, in ms. */
const closeTimeout = 2_000;

/** The first byte of CONNECT. */
const connectHeader = 0x10;

/** MQTT 3.1.1 has no answer to a CONNECT that is none. */
const unspeakable: readonly number[] = [Reason.malformedPacket, Reason.protocolError];

/** One network connection, from its first byte to its last. */
export class Connection {
  readonly wire: Wire;
  readonly remoteAddress: string | undefined;
  /** Once it has been let in. */
  client: Client | undefined = undefined;
  readonly #hub: Hub;
  readonly #framer: Framer;
  readonly #onClose: () => void;
  #version: 4 | 5 | undefined;
  #closed = false;
  #paused = 0;
  /** For CONNECT, then for the keep-alive. */
  #timer: NodeJS.Timeout | undefined;
  /** Runs while the client does not read. */
  #unread: NodeJS.Timeout | undefined;

  constructor(hub: Hub, stream: Duplex, remoteAddress: string | undefined, onClose: () => void) {
    this.#hub = hub;
    this.remoteAddress = remoteAddress;
    this.#onClose = onClose;
    this.wire = new Wire(stream, hub.output, hub.settings.maxPacketSize, {
      crowded: () => this.#crowded(),
      drained: () => this.#drained(),
    });
    const first = Math.min(hub.settings.maxPacketSize, largestConnect);
    this.#framer = new Framer(first, (bytes, header, start, end) => {
      if (!this.#closed) this.#take(bytes, header, start, end);
    });
    this.#timer = setTimeout(() => this.end(), hub.settings.connectTimeout).unref();
    stream.once("data", ([first]: Buffer) => {
      if (first !== connectHeader) this.end(); // Another protocol: its end would be waited for.
    });
    stream.on("data", (chunk: Buffer) => {
      if (!this.#closed) this.#read(() => this.#framer.push(chunk));
    });
    stream.on("error", () => {}); // `close` follows.
    stream.on("end", () => this.#lost("The client closed the connection."));
    stream.on("close", () => this.#lost("The connection was lost."));
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Reads nothing more until `resume` has been called as often. */
  pause(): void {
    if (this.#paused++ > 0) return;
    this.#framer.hold();
    this.wire.stream.pause();
  }

  resume(): void {
    if (--this.#paused > 0 || this.#closed) return;
    this.#read(() => this.#framer.release());
    if (this.#paused === 0) this.wire.stream.resume();
  }

  /** Says goodbye where the protocol can, and closes. */
  close(reasonCode: number, reason: string): void {
    if (this.#closed) return;
    if (this.client === undefined) this.refuse(reasonCode, reason);
    else this.client.close(reasonCode, reason);
  }

  /** Answers CONNECT with a reason not to accept it. */
  refuse(reasonCode: number, reason: string): void {
    if (this.#version === 5) this.#connack(reasonCode, reason);
    else if (this.#version === 4 && !unspeakable.includes(reasonCode)) {
      this.#connack(returnCode(reasonCode), reason);
    }
    this.end();
  }

  /** Sends what is left and closes. */
  end(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#unread);
    this.wire.flush();
    const { stream } = this.wire;
    stream.end();
    stream.resume(); // Or its end is never read.
    const timer = setTimeout(() => stream.destroy(), closeTimeout).unref();
    stream.once("close", () => clearTimeout(timer));
    this.#onClose();
  }

  #read(read: () => void): void {
    this.#timer?.refresh();
    try {
      read();
    } catch (error) {
      if (!(error instanceof PacketFault)) throw error;
      this.client?.turn(); // What it has published before counts.
      this.close(error.reasonCode, error.message);
    }
    this.client?.turn();
    this.#hub.flush();
  }

  /** A client that does not read is not read from, and not for long. */
  #crowded(): void {
    const { slowClientTimeout } = this.#hub.settings;
    this.pause();
    this.#unread = setTimeout(() => {
      const text = `It did not read its answers for ${slowClientTimeout} ms.`;
      this.close(Reason.quotaExceeded, text);
    }, slowClientTimeout).unref();
  }

  #drained(): void {
    if (this.#unread !== undefined) {
      clearTimeout(this.#unread);
      this.#unread = undefined;
      this.resume();
    }
    this.client?.session.pump();
    this.#hub.flush();
  }

  #take(bytes: Buffer, header: number, start: number, end: number): void {
    if (this.client !== undefined) {
      this.client.take(bytes, header, start, end);
    } else {
      if (header !== connectHeader) throw protocolError("The first packet is not CONNECT.");
      const request = this.#readConnect(bytes, start, end);
      if (request === undefined) return;
      this.pause();
      void this.#admit(request);
    }
  }

  #readConnect(bytes: Buffer, start: number, end: number): ConnectRequest | undefined {
    const version = versionOf(bytes, start, end);
    if (version !== 4 && version !== 5) {
      this.#version = version < 4 ? 4 : 5;
      this.refuse(Reason.unsupportedVersion, "This broker speaks MQTT 3.1.1 and 5.");
      return undefined;
    }
    this.#version = version;
    return readConnect(bytes, start, end, version, this.#hub.settings);
  }

  async #admit(request: ConnectRequest): Promise<void> {
    try {
      await admit(this.#hub, this, request);
    } catch (error) {
      if (!(error instanceof PacketFault)) throw error;
      if (!this.#closed) this.refuse(error.reasonCode, error.message);
    }
    if (this.client === undefined || this.#closed) return;
    this.#framer.maxPacketSize = this.#hub.settings.maxPacketSize;
    this.#keepAlive(request.keepAlive);
    this.resume();
  }

  #keepAlive(seconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (seconds === 0) return;
    this.#timer = setTimeout(() => {
      if (this.#paused > 0)
        this.#timer?.refresh(); // It is we who do not read.
      else this.close(Reason.keepAliveTimeout, `Nothing came for ${seconds * 1.5} s.`);
    }, seconds * 1_500).unref();
  }

  #connack(code: number, reasonString: string): void {
    const packet = { cmd: "connack", sessionPresent: false } as const;
    const properties = { reasonString };
    if (this.#version === 5) {
      this.wire.write(encodeControl({ ...packet, reasonCode: code, properties }, 5));
    } else {
      this.wire.write(encodeControl({ ...packet, returnCode: code }, 4));
    }
  }

  #lost(reason: string): void {
    if (this.#closed) return;
    this.client?.ended(Reason.unspecified, reason);
    this.end();
    this.#hub.flush();
  }
}
