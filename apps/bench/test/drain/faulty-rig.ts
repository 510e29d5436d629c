import type { Rig, TestSource } from "@lab/contract";
import { memoryRig } from "@lab/contract/memory";
import type { Delivery, Sink, Subscriber } from "@lab/core";

/** Breaks one promise of the ports, between the broker and the engine. */
export type Fault = (subscriber: Subscriber) => Subscriber;

/** The memory broker behind an adapter that is broken on purpose. */
export function faultyRig(fault: Fault, rig: Rig = memoryRig()): Rig {
  return {
    ...rig,
    async createSource(name: string): Promise<TestSource> {
      const source = await rig.createSource(name);
      return { ...source, subscriber: (member) => fault(source.subscriber(member)) };
    },
  };
}

/** Changes what reaches the sink. */
function onDelivery(deliver: (delivery: Delivery, sink: Sink, count: number) => void): Fault {
  return (subscriber) => ({
    capabilities: subscriber.capabilities,
    subscribe: (source, options, sink) => {
      let count = 0;
      return subscriber.subscribe(source, options, {
        deliver: (delivery) => deliver(delivery, sink, ++count),
        sessionEnded: (session) => sink.sessionEnded(session),
        connection: (state, cause) => sink.connection(state, cause),
        failed: (error) => sink.failed(error),
      });
    },
  });
}

/** The first two deliveries change places. */
export const swaps = (): Fault => {
  let held: Delivery | undefined;
  return onDelivery((delivery, sink, count) => {
    if (count === 1) held = delivery;
    else sink.deliver(delivery);
    if (count === 2 && held !== undefined) sink.deliver(held);
  });
};

/** Hands the first delivery out again, after it was settled and before the last one. */
export const repeats = (): Fault => {
  let first: Delivery | undefined;
  return onDelivery((delivery, sink, count) => {
    first ??= delivery;
    const { message, session } = first;
    if (count === 5) {
      const settle = (): "settled" => "settled";
      sink.deliver({ message, session, redelivered: false, deliveryCount: 1, settle });
    }
    sink.deliver(delivery);
  });
};

/** Acknowledges the first message without handing it out. */
export const loses: Fault = onDelivery((delivery, sink, count) => {
  if (count === 1) delivery.settle("ack");
  else sink.deliver(delivery);
});

/** Forgets to acknowledge the first message. */
export const keeps: Fault = onDelivery((delivery, sink, count) => {
  if (count > 1) return sink.deliver(delivery);
  const { message, session, redelivered, deliveryCount } = delivery;
  const settle = (): "settled" => "settled";
  sink.deliver({ message, session, redelivered, deliveryCount, settle });
});

/** Keeps everything to itself. */
export const silent: Fault = onDelivery(() => {});

/** Asks the broker for twice the window. */
export const overruns: Fault = (subscriber) => ({
  capabilities: subscriber.capabilities,
  subscribe: (source, options, sink) =>
    subscriber.subscribe(source, { ...options, window: options.window * 2 }, sink),
});

/** Not broken: cuts the connection while the delivery of that number is in hand. */
export const cutsAt = (number: number, cut: () => void): Fault => {
  let seen = 0;
  return onDelivery((delivery, sink) => {
    sink.deliver(delivery);
    if (++seen === number) setImmediate(cut);
  });
};
