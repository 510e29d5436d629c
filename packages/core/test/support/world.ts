import {
  type ConsumeOptions,
  type Consumer,
  type ConsumerStats,
  consume,
  type DeadLetter,
  type Handler,
  type OutgoingMessage,
  type Publisher,
  readDeadLetter,
} from "../../src/index.ts";
import { MemoryBroker } from "../../src/memory/index.ts";
import { type Watch, watched, watchedPublisher } from "./probe.ts";
import { RecordingSink } from "./recording-sink.ts";
import { Trace } from "./trace.ts";
import { VirtualClock } from "./virtual-clock.ts";

/** What one message is and how its handler behaves. */
export interface Planned {
  readonly key?: string | undefined;
  /** Time that an attempt takes, in ms; without it the handler is synchronous. */
  readonly ms?: number | undefined;
  /** This many attempts fail. @default 0 */
  readonly failures?: number;
}

export type Settings = Omit<Partial<ConsumeOptions<number>>, "subscriber" | "source" | "clock"> & {
  /** Watches the port besides the trace. */
  readonly watch?: Watch;
  /** Called before the planned handler. */
  readonly first?: Handler<number>;
};

/** The number of a planned message. */
export const numberOf = (message: { readonly body: Uint8Array }): number =>
  Number(Buffer.from(message.body).toString());

/** One consumer on one memory broker, on virtual time, with planned messages `0, 1, …` and a trace of what happens. */
export class World {
  readonly clock: VirtualClock = new VirtualClock();
  readonly broker: MemoryBroker = new MemoryBroker({ clock: this.clock });
  readonly #plan: readonly Planned[];
  readonly #settings: Settings;
  readonly trace: Trace;
  /** Called before a dead letter is published; a rejection refuses it. */
  beforeDeadLetter: (number: number) => Promise<void> = async () => {};

  constructor(plan: readonly Planned[], settings: Settings = {}) {
    this.#plan = plan;
    this.#settings = settings;
    const lanes = settings.lanes ?? (settings.dispatch === "inline" ? 1 : 32);
    this.trace = new Trace(settings.window ?? Math.max(64, 4 * lanes), lanes);
    this.broker.createQueue("q");
    this.broker.createQueue("dead");
  }

  /** Puts all planned messages into the queue. */
  async publish(): Promise<void> {
    await this.broker.publisher().publish("q", this.#plan.map(outgoing));
  }

  async consume(): Promise<Consumer> {
    const { watch, first: _, ...given } = this.#settings;
    const { handler = this.handler, deserialize = numberOf, ...options } = given;
    const { onFailure = "dead-letter" } = options;
    return consume<number>({
      retry: { attempts: 3, base: 10, jitter: 0 },
      ...(onFailure === "dead-letter" && {
        deadLetter: { publisher: this.#deadLetters(), destination: "dead" },
      }),
      ...options,
      subscriber: watched(this.broker.subscriber(), this.#watch(watch ?? {})),
      source: "q",
      clock: this.clock,
      deserialize,
      handler,
    });
  }

  /** Takes all dead letters out of their queue. */
  async deadLetters(): Promise<DeadLetter[]> {
    const sink = new RecordingSink((delivery) => delivery.settle("ack"));
    const subscription = await this.broker.subscriber().subscribe("dead", { window: 1 }, sink);
    await sink.received(this.broker.depth("dead").ready);
    await subscription.close();
    return sink.deliveries.map(({ message }) => readDeadLetter(message) as DeadLetter);
  }

  /** Publishes, consumes until nothing is left to happen, and ends the consumer. Gives its last figures. */
  async run(): Promise<ConsumerStats> {
    await this.publish();
    const consumer = await this.consume();
    await this.clock.quiet();
    await consumer.drain();
    return consumer.stats();
  }

  readonly handler: Handler<number> = (value, context) => {
    const { ms, failures = 0 } = this.#plan[value] as Planned;
    const { trace, clock } = this;
    const attempt = trace.begin(value, context, clock.now());
    this.#settings.first?.(value, context);
    const finish = (): void => {
      const succeeds = context.attempt > failures;
      trace.end(attempt, clock.now(), succeeds);
      if (!succeeds) throw new Error("a planned failure");
    };
    return ms === undefined ? finish() : clock.sleep(ms).then(finish);
  };

  #watch(more: Watch): Watch {
    return {
      delivered: (delivery) => {
        this.trace.delivered(delivery);
        more.delivered?.(delivery);
      },
      settling: (delivery, outcome) => more.settling?.(delivery, outcome),
      settled: (delivery, outcome, result) => {
        this.trace.settled(delivery, outcome, result);
        more.settled?.(delivery, outcome, result);
      },
    };
  }

  #deadLetters(): Publisher {
    return watchedPublisher(
      this.broker.publisher(),
      async (messages) => {
        for (const message of messages) await this.beforeDeadLetter(numberOf(message));
      },
      (messages) => {
        for (const message of messages) this.trace.confirmed(numberOf(message));
      },
    );
  }
}

function outgoing({ key }: Planned, index: number): OutgoingMessage {
  return { body: Buffer.from(String(index)), key };
}
