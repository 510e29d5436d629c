import type { Socket } from "node:net";
import { acknowledge, bind, unbind } from "./binding.ts";
import type { BrokerState } from "./broker-state.ts";
import type { ConsumerFlow } from "./consumer-flow.ts";
import { login } from "./login.ts";
import { create, remove } from "./provisioning.ts";
import {
  closePublisher,
  openPublisher,
  type PublisherFlow,
  takeMessage,
} from "./publisher-flow.ts";
import { type AssuredControl, decodeAssured, encodeAssured } from "./smf/assured-control.ts";
import { decodeFrame, encodeFrame, encodeResponse, type Frame } from "./smf/frame.ts";
import { FrameSplitter } from "./smf/frame-splitter.ts";
import { MalformedFrame } from "./smf/malformed.ts";
import { AssuredType, Protocol } from "./smf/protocol.ts";
import { changeSubscription } from "./subscriptions.ts";

const nothing = Buffer.alloc(0);

const assuredHandlers: Readonly<
  Record<number, (connection: Connection, frame: Frame, control: AssuredControl) => void>
> = {
  [AssuredType.openPublisher]: openPublisher,
  [AssuredType.closePublisher]: closePublisher,
  [AssuredType.bind]: bind,
  [AssuredType.unbind]: unbind,
  [AssuredType.acknowledge]: acknowledge,
  [AssuredType.create]: create,
  [AssuredType.delete]: remove,
  [AssuredType.flowChange]: () => {}, // The answer to the broker's own.
};

/** By protocol. Each may throw a {@link MalformedFrame}. */
const handlers: Readonly<Record<number, (connection: Connection, frame: Frame) => void>> = {
  [Protocol.clientCtrl]: login,
  [Protocol.subscriptions]: changeSubscription,
  [Protocol.message]: takeMessage,
  [Protocol.keepAlive]: (connection) => {
    if (connection.broker.faults.muteKeepAlive) return;
    connection.send(encodeFrame(Protocol.keepAlive, [], nothing));
  },
  [Protocol.assuredCtrl]: (connection, frame) => {
    const control = decodeAssured(frame.body);
    const handle = assuredHandlers[control.type];
    if (handle === undefined) throw new MalformedFrame(`AssuredCtrl of type ${control.type}`);
    handle(connection, frame, control);
  },
};

/** One client's connection. Whatever it sends, it cannot do more than be closed. */
export class Connection {
  readonly broker: BrokerState;
  /** Empty until the client has logged in. */
  clientName = "";
  readonly publishers: Map<number, PublisherFlow> = new Map();
  readonly #socket: Socket;
  readonly #frames: FrameSplitter;
  readonly #consumers = new Map<number, ConsumerFlow>();
  #corked = false;

  constructor(broker: BrokerState, socket: Socket) {
    this.broker = broker;
    this.#socket = socket;
    this.#frames = new FrameSplitter(broker.settings.longestFrame);
    socket.setNoDelay(true);
    socket.on("data", (chunk) => this.#receive(chunk));
    socket.on("error", () => {}); // `close` follows.
    socket.on("close", () => this.#closed());
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** What is sent in one turn of the event loop is written together. */
  send(frame: Buffer): void {
    const { delay } = this.broker.faults;
    if (delay > 0) {
      setTimeout(() => this.#write(frame), delay).unref();
    } else {
      this.#write(frame);
    }
  }

  /** Answers a request: 200 unless a refusal is given. */
  answer(request: Frame, body: Buffer, code = 200, text = "OK"): void {
    const tag = request.correlationTag === undefined ? [] : [request.correlationTag];
    this.send(encodeFrame(request.protocol, [...tag, encodeResponse(code, text)], body));
  }

  answerAssured(
    request: Frame,
    type: number,
    params: readonly Buffer[],
    code?: number,
    text?: string,
  ): void {
    this.answer(request, encodeAssured(type, params), code, text);
  }

  adopt(flow: ConsumerFlow): void {
    this.#consumers.set(flow.id, flow);
  }

  forget(flow: ConsumerFlow): void {
    this.#consumers.delete(flow.id);
  }

  consumer(id: number): ConsumerFlow | undefined {
    return this.#consumers.get(id);
  }

  #write(frame: Buffer): void {
    if (this.#socket.destroyed) return;
    if (!this.#corked) {
      this.#corked = true;
      this.#socket.cork();
      setImmediate(() => {
        this.#corked = false;
        this.#socket.uncork();
      });
    }
    this.#socket.write(frame);
  }

  #receive(chunk: Buffer): void {
    try {
      for (const bytes of this.#frames.push(chunk)) {
        if (this.#socket.destroyed) return;
        this.#handle(decodeFrame(bytes));
      }
    } catch (error) {
      if (!(error instanceof MalformedFrame)) throw error;
      this.broker.refused(`${this.clientName || "a client"}: ${error.message}`);
      this.destroy();
    }
  }

  #handle(frame: Frame): void {
    if (this.clientName === "" && frame.protocol !== Protocol.clientCtrl) {
      throw new MalformedFrame("the first frame is not a login");
    }
    const handle = handlers[frame.protocol];
    if (handle === undefined) throw new MalformedFrame(`a frame of protocol ${frame.protocol}`);
    handle(this, frame);
  }

  #closed(): void {
    this.broker.connections.delete(this);
    if (this.clientName !== "") this.broker.log(`${this.clientName}: disconnected`);
    for (const flow of this.#consumers.values()) flow.detach();
    this.#consumers.clear();
    this.publishers.clear();
  }
}
