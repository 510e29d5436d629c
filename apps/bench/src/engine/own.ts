import { consume, systemClock } from "@lab/core";
import { createDispatcher, JobPool } from "@lab/core/engine";
import { MemoryBroker } from "@lab/core/memory";
import { type Contender, handler, lanes, type Run, window, windowed } from "./contender.ts";

/** The floor: no lanes, no order to keep, no window. */
export const bareAwait: Contender = {
  name: "bare await",
  peer: null,
  prepare: async (messages) => ({
    async start() {
      for (const message of messages) await handler(message);
    },
  }),
};

/** The lane engine without a broker. */
function laneEngine(dispatch: "keyed" | "hashed"): Contender {
  return {
    name: `${dispatch} lanes`,
    peer: null,
    prepare: windowed((settled) => {
      const pool = new JobPool();
      let arrival = 0;
      const work: Parameters<typeof createDispatcher>[3] = {
        start: (job) => handler(job.delivery),
        succeeded: (job) => {
          pool.put(job);
          settled();
        },
        failed: (_job, thrown) => {
          throw thrown;
        },
      };
      const dispatcher = createDispatcher(dispatch, lanes, window, work, systemClock);
      return (delivery) => {
        const job = pool.take(delivery, arrival++);
        job.key = delivery.message.key;
        dispatcher.push(job);
      };
    }),
  };
}

export const keyedLanes: Contender = laneEngine("keyed");
export const hashedLanes: Contender = laneEngine("hashed");

/** All of `consume()`, on the memory broker, which holds the messages beforehand: deliver, key, lane, handler, settle. */
export const consumeOnMemory: Contender = {
  name: "consume on memory",
  peer: null,
  async prepare(messages) {
    const broker = new MemoryBroker();
    broker.createQueue("backlog");
    const publisher = broker.publisher();
    const batch = 10_000;
    for (let from = 0; from < messages.length; from += batch) {
      const part = messages.slice(from, from + batch).map(({ message }) => message);
      await publisher.publish("backlog", part);
    }
    await publisher.close();
    return new MemoryDrain(broker, messages.length);
  },
};

class MemoryDrain implements Run {
  peakRss = 0;
  readonly #broker: MemoryBroker;
  readonly #total: number;

  constructor(broker: MemoryBroker, total: number) {
    this.#broker = broker;
    this.#total = total;
  }

  async start(): Promise<void> {
    let finish = (): void => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let handled = 0;
    await using consumer = await consume({
      subscriber: this.#broker.subscriber(),
      source: "backlog",
      handler: async () => {
        handled++;
        if (handled % 50_000 === 0) this.#look();
        if (handled === this.#total) finish();
      },
      lanes,
      window,
    });
    await Promise.race([finished, consumer.closed]);
  }

  #look(): void {
    this.peakRss = Math.max(this.peakRss, process.memoryUsage.rss());
  }
}
