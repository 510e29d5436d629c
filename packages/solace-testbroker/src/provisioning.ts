import type { Connection } from "./connection.ts";
import { encodeEndpointName, endpointNameOf } from "./endpoint-name.ts";
import type { QueueOptions } from "./options.ts";
import { type AssuredControl, assuredParam } from "./smf/assured-control.ts";
import { readU8, readU32 } from "./smf/bytes.ts";
import type { Frame } from "./smf/frame.ts";
import { AccessType, AssuredParam, AssuredType } from "./smf/protocol.ts";

/** Creates a durable endpoint for a client. @throws {MalformedFrame} */
export function create(connection: Connection, frame: Frame, control: AssuredControl): void {
  const { broker, clientName } = connection;
  const name = endpointNameOf(control);
  const params = [encodeEndpointName(name)];
  if (broker.endpoint(name.kind, name.name) !== undefined) {
    connection.answerAssured(frame, AssuredType.create, params, 400, "Endpoint Already Exists");
    return;
  }
  broker.create(name.kind, name.name, wishesOf(control));
  broker.log(`${clientName}: created ${name.kind} "${name.name}"`);
  connection.answerAssured(frame, AssuredType.create, params);
}

/** Deletes an endpoint for a client. @throws {MalformedFrame} */
export function remove(connection: Connection, frame: Frame, control: AssuredControl): void {
  const { broker, clientName } = connection;
  const name = endpointNameOf(control);
  const params = [encodeEndpointName(name)];
  if (broker.delete(name.kind, name.name)) {
    broker.log(`${clientName}: deleted ${name.kind} "${name.name}"`);
    connection.answerAssured(frame, AssuredType.delete, params);
  } else {
    connection.answerAssured(frame, AssuredType.delete, params, 503, "Unknown Queue");
  }
}

function wishesOf(control: AssuredControl): QueueOptions {
  const access = assuredParam(control, AssuredParam.accessType);
  const maxRedelivery = assuredParam(control, AssuredParam.maxRedelivery);
  const maxMessageSize = assuredParam(control, AssuredParam.maxMessageSize);
  const quotaMb = assuredParam(control, AssuredParam.quotaMb);
  const nonExclusive =
    access !== undefined && readU8(access, "an access type") === AccessType.nonExclusive;
  return {
    access: nonExclusive ? "non-exclusive" : "exclusive",
    ...(maxRedelivery && { maxRedelivery: readU8(maxRedelivery, "a number of redeliveries") }),
    ...(maxMessageSize && { maxMessageSize: readU32(maxMessageSize, "a message size") }),
    ...(quotaMb && { quotaMb: readU32(quotaMb, "a quota") }),
  };
}
