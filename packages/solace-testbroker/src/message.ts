import { readText } from "./smf/bytes.ts";
import { type Frame, paramOf } from "./smf/frame.ts";
import { partitionKeyOf } from "./smf/partition-key.ts";
import { FrameFlag, HeaderParam, ShortParam } from "./smf/protocol.ts";

/** A message as it was published: what is handed on to consumers as it came, and what the broker reads of it. */
export interface PublishedMessage {
  /** Topic, or `#P2P/QUE/` and the name of a queue. */
  readonly destination: string;
  readonly partitionKey: string | undefined;
  readonly deadMessageQueueEligible: boolean;
  readonly priority: number;
  readonly params: Buffer;
  readonly body: Buffer;
}

/** A message on a queue. */
export interface Spooled {
  /** Unique at the broker, and rising with the time of arrival: what comes back takes its old place by it. */
  readonly id: number;
  readonly message: PublishedMessage;
  deliveries: number;
  redelivered: boolean;
  /** The id that it had when it was last delivered, and to whom. */
  wireId: number;
  lastClient: string;
}

const queuePrefix = "#P2P/QUE/";

/** Header parameters that are made anew for each delivery. */
const perDelivery: readonly number[] = [
  HeaderParam.messageId,
  HeaderParam.previousMessageId,
  HeaderParam.redelivered,
  HeaderParam.flowId,
  HeaderParam.extended,
];

/** Copies what is kept: a frame refers to what the socket has read. @throws {MalformedFrame} */
export function messageOf(frame: Frame): PublishedMessage {
  const kept = frame.params.filter(({ short, type }) =>
    short ? type !== ShortParam.correlationTag : !perDelivery.includes(type),
  );
  const topic = paramOf(frame, HeaderParam.topic);
  return {
    destination: topic === undefined ? "" : readText(topic),
    partitionKey: partitionKeyOf(frame),
    deadMessageQueueEligible: (frame.flags & FrameFlag.deadMessageQueueEligible) !== 0,
    priority: frame.priority,
    params: Buffer.concat(kept.map(({ bytes }) => bytes)),
    body: Buffer.from(frame.body),
  };
}

/** The queue that a destination names, or `undefined` for a topic. */
export function queueOf(destination: string): string | undefined {
  return destination.startsWith(queuePrefix) ? destination.slice(queuePrefix.length) : undefined;
}
