import { part, readText } from "./bytes.ts";
import { SubscriptionType } from "./protocol.ts";

const headerLength = 6;
const replyWanted = 0x08;

export interface SubscriptionControl {
  readonly type: number;
  readonly replyWanted: boolean;
  readonly topic: string;
  /** For subscriptions of a queue. */
  readonly queue: string;
}

/** @throws {MalformedFrame} */
export function decodeSubscriptionControl(body: Buffer): SubscriptionControl {
  const header = part(body, 0, headerLength, "an SMP header");
  const type = (header[0] as number) & 0x7f;
  const common = { type, replyWanted: ((header[5] as number) & replyWanted) !== 0 };
  if (type !== SubscriptionType.addToQueue && type !== SubscriptionType.removeFromQueue) {
    return { ...common, topic: readText(body.subarray(headerLength)), queue: "" };
  }
  const queue = counted(body, headerLength);
  const topic = counted(body, queue.end);
  return { ...common, topic: topic.text, queue: queue.text };
}

function counted(body: Buffer, offset: number): { readonly text: string; readonly end: number } {
  const start = offset + 1;
  const end = start + (part(body, offset, start, "an SMP name")[0] as number);
  return { text: readText(part(body, start, end, "an SMP name")), end };
}
