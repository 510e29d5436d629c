import type { Connection } from "./connection.ts";
import { ConsumerFlow } from "./consumer-flow.ts";
import type { Endpoint } from "./endpoint.ts";
import { type EndpointName, encodeEndpointName, endpointNameOf } from "./endpoint-name.ts";
import type { Refusal } from "./faults.ts";
import {
  type AssuredControl,
  assuredParam,
  encodeAssuredParam,
  flowIdOf,
  windowOf,
} from "./smf/assured-control.ts";
import { readText, readU8, readU64, u8, u32, u64 } from "./smf/bytes.ts";
import type { Frame } from "./smf/frame.ts";
import { AccessType, AssuredParam, AssuredType, deliveryCountEnabled } from "./smf/protocol.ts";

const allPermissions = 0xffff;
const defaultWindow = 255;

/** Binds a consumer to a queue or topic endpoint. @throws {MalformedFrame} */
export function bind(connection: Connection, frame: Frame, control: AssuredControl): void {
  const { broker, clientName } = connection;
  const name = endpointNameOf(control);
  const endpoint = broker.endpoint(name.kind, name.name);
  const verdict = broker.faults.bind?.(name.name) ?? refusalOf(name, endpoint);
  if (verdict === "no answer") return;
  if (verdict !== undefined || endpoint === undefined) {
    const { code, text } = verdict ?? { code: 503, text: "Unknown Queue" };
    broker.log(`${clientName}: bind to ${name.kind} "${name.name}" refused: ${code} ${text}`);
    connection.answerAssured(frame, AssuredType.bind, [], code, text);
    return;
  }
  const topic = assuredParam(control, AssuredParam.topic);
  if (topic !== undefined) {
    endpoint.subscriptions.clear();
    endpoint.subscriptions.add(readText(topic));
  }
  const window = windowOf(control) ?? defaultWindow;
  const lastReceived = assuredParam(control, AssuredParam.lastReceived);
  const wantsChanges = assuredParam(control, AssuredParam.wantFlowChange);
  const flow = new ConsumerFlow(broker.nextFlowId(), endpoint, connection, {
    window,
    lastReceived: lastReceived === undefined ? 0 : readU64(lastReceived, "a message id"),
    wantsChanges: wantsChanges !== undefined && readU8(wantsChanges, "a flag") !== 0,
  });
  connection.adopt(flow);
  endpoint.attach(flow);
  broker.log(`${clientName}: bound to ${name.kind} "${name.name}", window ${window}`);
  connection.answerAssured(frame, AssuredType.bind, boundParams(name, endpoint, flow, window));
  endpoint.pump();
}

/** @throws {MalformedFrame} */
export function unbind(connection: Connection, frame: Frame, control: AssuredControl): void {
  const id = flowIdOf(control);
  const flow = connection.consumer(id);
  if (flow !== undefined) {
    const { kind, name } = flow.endpoint;
    connection.broker.log(`${connection.clientName}: unbound from ${kind} "${name}"`);
    connection.forget(flow);
    flow.detach();
  }
  const params = [encodeAssuredParam(AssuredParam.flowId, u32(id))];
  connection.answerAssured(frame, AssuredType.unbind, params);
}

/** @throws {MalformedFrame} */
export function acknowledge(connection: Connection, _frame: Frame, control: AssuredControl): void {
  // Of a flow that the broker has ended meanwhile, it comes too late.
  connection.consumer(flowIdOf(control))?.acknowledge(control);
}

function refusalOf({ kind }: EndpointName, endpoint: Endpoint | undefined): Refusal | undefined {
  if (endpoint === undefined) {
    return {
      code: 503,
      text: kind === "queue" ? "Unknown Queue" : "Unknown Durable Topic Endpoint",
    };
  }
  if (endpoint.shutdown !== undefined) return endpoint.shutdown;
  if (endpoint.flows.length >= endpoint.settings.maxConsumers) {
    const what = kind === "queue" ? "Queue" : "durable Topic Endpoint";
    return { code: 503, text: `Max clients exceeded for ${what}` };
  }
  return undefined;
}

function boundParams(
  name: EndpointName,
  endpoint: Endpoint,
  flow: ConsumerFlow,
  window: number,
): Buffer[] {
  const { settings } = endpoint;
  const param = encodeAssuredParam;
  const access = endpoint.exclusive ? AccessType.exclusive : AccessType.nonExclusive;
  return [
    param(AssuredParam.flowId, u32(flow.id)),
    param(AssuredParam.window, u8(Math.min(window, 255))),
    param(AssuredParam.transportWindow, u32(window)),
    param(AssuredParam.lastAcked, u64(0)),
    param(AssuredParam.accessType, u8(access)),
    param(AssuredParam.grantedPermissions, u32(allPermissions)),
    param(AssuredParam.othersPermissions, u32(0)),
    param(AssuredParam.quotaMb, u32(settings.quotaMb)),
    param(AssuredParam.maxMessageSize, u32(settings.maxMessageSize)),
    param(AssuredParam.respectTtl, u8(0)),
    param(AssuredParam.maxRedelivery, u8(Math.min(settings.maxRedelivery, 255))),
    ...(settings.deliveryCount
      ? [param(AssuredParam.endpointBehaviour, u8(deliveryCountEnabled))]
      : []),
    param(AssuredParam.maxUnacked, u32(settings.maxDeliveredUnacked)),
    param(AssuredParam.endpointId, u32(endpoint.number)),
    param(AssuredParam.spoolerId, u64(1)),
    encodeEndpointName(name),
    param(AssuredParam.durability, u8(1)),
    param(AssuredParam.active, u8(endpoint.isActive(flow) ? 1 : 0)),
  ];
}
