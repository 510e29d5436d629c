import type { PublisherRecord } from "./broker-state.ts";
import type { Connection } from "./connection.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Refusal, Verdict } from "./faults.ts";
import { messageOf, type PublishedMessage, queueOf } from "./message.ts";
import {
  type AssuredControl,
  assuredParam,
  encodeAssured,
  encodeAssuredParam,
  flowIdOf,
  windowOf,
} from "./smf/assured-control.ts";
import { readText, readU32, readU64, u8, u32, u64, zeroTerminated } from "./smf/bytes.ts";
import { encodeFrame, encodeResponse, type Frame, paramOf } from "./smf/frame.ts";
import { MalformedFrame } from "./smf/malformed.ts";
import { AssuredParam, AssuredType, FrameFlag, HeaderParam, Protocol } from "./smf/protocol.ts";

const defaultWindow = 50;

/** Opens a publisher's flow, or goes on with one of an earlier connection. @throws {MalformedFrame} */
export function openPublisher(connection: Connection, frame: Frame, control: AssuredControl): void {
  const { broker } = connection;
  const id = broker.nextFlowId();
  const wanted = assuredParam(control, AssuredParam.flowName);
  const lastSent = assuredParam(control, AssuredParam.lastSent);
  const name = (wanted && readText(wanted)) || `publisher-${id}`;
  const known = broker.publishers.get(name);
  // A client that is told so numbers its messages anew, and asks again.
  if (known === undefined && lastSent !== undefined && readU64(lastSent, "a message id") > 0) {
    connection.answerAssured(frame, AssuredType.openPublisher, [], 400, "Unknown Flow Name");
    return;
  }
  const record = known ?? { name, lastAcked: 0 };
  broker.publishers.set(name, record);
  const window = windowOf(control) ?? defaultWindow;
  const flow = new PublisherFlow(id, record, window, connection);
  connection.publishers.set(id, flow);
  connection.answerAssured(frame, AssuredType.openPublisher, [
    encodeAssuredParam(AssuredParam.flowId, u32(id)),
    encodeAssuredParam(AssuredParam.flowName, zeroTerminated(name)),
    encodeAssuredParam(AssuredParam.lastAcked, u64(record.lastAcked)),
    encodeAssuredParam(AssuredParam.window, u8(Math.min(window, 255))),
    encodeAssuredParam(AssuredParam.transportWindow, u32(window)),
    encodeAssuredParam(AssuredParam.publisherId, u32(id)),
  ]);
}

/** @throws {MalformedFrame} */
export function closePublisher(
  connection: Connection,
  frame: Frame,
  control: AssuredControl,
): void {
  connection.publishers.delete(flowIdOf(control));
  connection.answerAssured(frame, AssuredType.closePublisher, []);
}

/** @throws {MalformedFrame} */
export function takeMessage(connection: Connection, frame: Frame): void {
  if ((frame.flags & FrameFlag.guaranteed) === 0) {
    connection.broker.log(`${connection.clientName}: a direct message is dropped`);
    return;
  }
  const flowId = paramOf(frame, HeaderParam.flowId);
  if (flowId === undefined) throw new MalformedFrame("a guaranteed message without a flow id");
  connection.publishers.get(readU32(flowId, "a flow id"))?.receive(frame);
}

/** Takes guaranteed messages, spools them, and confirms them: those of one turn together. */
export class PublisherFlow {
  readonly #id: number;
  readonly #record: PublisherRecord;
  readonly #window: number;
  readonly #connection: Connection;
  #ackDue = false;

  constructor(id: number, record: PublisherRecord, window: number, connection: Connection) {
    this.#id = id;
    this.#record = record;
    this.#window = window;
    this.#connection = connection;
  }

  /** @throws {MalformedFrame} */
  receive(frame: Frame): void {
    const value = paramOf(frame, HeaderParam.messageId);
    if (value === undefined) throw new MalformedFrame("a guaranteed message without an id");
    const id = readU64(value, "a message id");
    // What is sent again after a reconnect, and was taken before.
    if (id > this.#record.lastAcked) this.#take(id, messageOf(frame));
    else this.#ackSoon();
  }

  /** The broker closes the flow by itself. */
  close({ code, text }: Refusal): void {
    this.#connection.publishers.delete(this.#id);
    this.#connection.send(
      encodeFrame(
        Protocol.assuredCtrl,
        [encodeResponse(code, text)],
        encodeAssured(AssuredType.closePublisher, [
          encodeAssuredParam(AssuredParam.flowId, u32(this.#id)),
        ]),
      ),
    );
  }

  #take(id: number, message: PublishedMessage): void {
    const { broker, clientName } = this.#connection;
    const targets = this.#targetsOf(message);
    const verdict = this.#judge(message, targets);
    if (verdict === "no answer") return;
    if (verdict !== undefined) {
      const { code, text } = verdict;
      broker.log(`${clientName}: message for "${message.destination}" rejected: ${code} ${text}`);
      if (this.#ackDue) this.#sendAck(); // Of those before it.
      this.#record.lastAcked = id;
      this.#sendAck(verdict);
      return;
    }
    this.#record.lastAcked = id;
    broker.stats.published++;
    for (const endpoint of targets) broker.spool(endpoint, message);
    this.#ackSoon();
  }

  #targetsOf({ destination }: PublishedMessage): Endpoint[] {
    const { broker } = this.#connection;
    const queue = queueOf(destination);
    if (queue === undefined) {
      return [...broker.endpoints()].filter((endpoint) => endpoint.takes(destination));
    }
    const endpoint = broker.endpoint("queue", queue);
    return endpoint === undefined ? [] : [endpoint];
  }

  #judge(message: PublishedMessage, targets: readonly Endpoint[]): Verdict {
    const { faults, settings } = this.#connection.broker;
    const queue = queueOf(message.destination);
    const verdict = faults.publish?.(queue ?? message.destination, message.body);
    if (verdict !== undefined) return verdict;
    if (targets.length === 0 && queue !== undefined) return { code: 400, text: "Queue Not Found" };
    if (targets.length === 0 && settings.rejectUnmatched) {
      return { code: 503, text: "No Subscription Match" };
    }
    for (const endpoint of targets) {
      const refusal = endpoint.refusalOf(message);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  #ackSoon(): void {
    if (this.#ackDue) return;
    this.#ackDue = true;
    setImmediate(() => {
      if (this.#ackDue) this.#sendAck();
    });
  }

  #sendAck(refusal?: Refusal): void {
    this.#ackDue = false;
    const response = refusal === undefined ? [] : [encodeResponse(refusal.code, refusal.text)];
    const body = encodeAssured(AssuredType.acknowledge, [
      encodeAssuredParam(AssuredParam.flowId, u32(this.#id)),
      encodeAssuredParam(AssuredParam.lastAcked, u64(this.#record.lastAcked)),
      encodeAssuredParam(AssuredParam.window, u8(Math.min(this.#window, 255))),
    ]);
    this.#connection.send(encodeFrame(Protocol.assuredCtrl, response, body));
  }
}
