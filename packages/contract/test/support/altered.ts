import type { Delivery, Publisher, Sink, Subscriber, Subscription } from "@lab/core";
import type { ContractCapabilities, Rig } from "../../src/index.ts";
import { memoryCapabilities, memoryRig } from "../../src/memory/index.ts";

/** What is different from the memory adapter. */
export interface Alteration {
  readonly capabilities?: Partial<ContractCapabilities>;
  /** Called once per rig, so that what it remembers is the rig's own. */
  readonly subscriber?: () => (subscriber: Subscriber) => Subscriber;
  readonly publisher?: (publisher: Publisher) => Publisher;
}

/** The memory rig, altered. */
export function altered(alteration: Alteration): { rig: Rig; capabilities: ContractCapabilities } {
  const capabilities = { ...memoryCapabilities, ...alteration.capabilities };
  const { settles, nack, reject, deliveryCount, partitions, resumes } = capabilities;
  const declared = { settles, nack, reject, deliveryCount, partitions, resumes };
  const memory = memoryRig();
  const alter = alteration.subscriber?.() ?? ((subscriber) => subscriber);
  const subscriber = (inner: Subscriber): Subscriber => {
    const changed = alter(inner);
    return { capabilities: declared, subscribe: changed.subscribe.bind(changed) };
  };
  const { missingSource, wrongCredentials, unreachable } = memory.refusals;
  const refusal = (refused: typeof missingSource): typeof missingSource =>
    refused &&
    (() => {
      const { subscriber: inner, source } = refused();
      return { subscriber: subscriber(inner), source };
    });
  const faults = { ...memory.faults };
  if (capabilities.cut !== true) delete faults.cut;
  if (capabilities.restart !== true) delete faults.restart;
  const rig: Rig = {
    ...memory,
    faults,
    refusals: {
      ...memory.refusals,
      ...(missingSource && { missingSource: refusal(missingSource) as typeof missingSource }),
      ...(wrongCredentials && {
        wrongCredentials: refusal(wrongCredentials) as typeof wrongCredentials,
      }),
      ...(unreachable && { unreachable: refusal(unreachable) as typeof unreachable }),
    },
    createSource: async (name) => {
      const source = await memory.createSource(name);
      return { ...source, subscriber: (member) => subscriber(source.subscriber(member)) };
    },
    publisher: async () => {
      const inner = await memory.publisher();
      return alteration.publisher?.(inner) ?? inner;
    },
  };
  return { rig, capabilities };
}

/** A subscriber with another sink between broker and consumer, and other calls on its subscription. */
export function between(
  inner: Subscriber,
  sinkOf: (sink: Sink, window: number) => Sink,
  over: (subscription: Subscription) => Subscription = (subscription) => subscription,
): Subscriber {
  return {
    capabilities: inner.capabilities,
    subscribe: async (source, options, sink) =>
      over(await inner.subscribe(source, options, sinkOf(sink, options.window))),
  };
}

/** A sink that passes on what is not overridden. */
export function sink(inner: Sink, overrides: Partial<Sink>): Sink {
  return {
    deliver: (delivery) => inner.deliver(delivery),
    sessionEnded: (session) => inner.sessionEnded(session),
    connection: (state, cause) => inner.connection(state, cause),
    failed: (error) => inner.failed(error),
    ...overrides,
  };
}

/** A delivery that does what is not overridden. */
export function delivery(inner: Delivery, overrides: Partial<Delivery>): Delivery {
  return {
    message: inner.message,
    redelivered: inner.redelivered,
    deliveryCount: inner.deliveryCount,
    session: inner.session,
    settle: (outcome) => inner.settle(outcome),
    ...overrides,
  };
}

/** A subscription that does what is not overridden. */
export function subscription(inner: Subscription, overrides: Partial<Subscription>): Subscription {
  return { stop: () => inner.stop(), close: () => inner.close(), ...overrides };
}
