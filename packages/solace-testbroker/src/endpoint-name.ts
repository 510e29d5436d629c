import type { EndpointKind } from "./endpoint.ts";
import { type AssuredControl, assuredParam, encodeAssuredParam } from "./smf/assured-control.ts";
import { readText, zeroTerminated } from "./smf/bytes.ts";
import { MalformedFrame } from "./smf/malformed.ts";
import { AssuredParam } from "./smf/protocol.ts";

export interface EndpointName {
  readonly kind: EndpointKind;
  readonly name: string;
}

/** The queue or topic endpoint that a request is about. @throws {MalformedFrame} */
export function endpointNameOf(control: AssuredControl): EndpointName {
  const queue = assuredParam(control, AssuredParam.queueName);
  if (queue !== undefined) return { kind: "queue", name: readText(queue) };
  const topicEndpoint = assuredParam(control, AssuredParam.topicEndpointName);
  if (topicEndpoint !== undefined) {
    return { kind: "topic endpoint", name: readText(topicEndpoint) };
  }
  throw new MalformedFrame("neither a queue nor a topic endpoint is named");
}

export function encodeEndpointName({ kind, name }: EndpointName): Buffer {
  const type = kind === "queue" ? AssuredParam.queueName : AssuredParam.topicEndpointName;
  return encodeAssuredParam(type, zeroTerminated(name));
}
