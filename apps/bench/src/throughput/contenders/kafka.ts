import { kafkaSubscriber } from "@lab/kafka";
import { kafkaConfig } from "@lab/testbed/rigs";
import { type ConsumerRunConfig, Kafka } from "kafkajs";
import { type Contender, ours, type Work } from "../contender.ts";

/** Of the rig's topics. */
const partitions = 3;

/** Records that kafkajs fetches at once, a megabyte of each partition: so many are not committed with it, or with us. */
const aFetch = 24_000;

/** Longest wait of a fetch for records, in ms: the adapter's default, for all alike. */
const maxWaitTimeInMs = 250;

const nothing = new Uint8Array();

function kafkaAt({ url, name }: Work): Kafka {
  return new Kafka({ ...kafkaConfig({ url }), clientId: name });
}

/** kafkajs has no window: it has all of a fetch in hand, and commits what is of one partition when it is handled. */
function plain(variant: string, run: (work: Work) => ConsumerRunConfig): Contender {
  return {
    variant,
    client: "kafkajs@2.2.4",
    async consume(work) {
      const consumer = kafkaAt(work).consumer({ groupId: work.name, maxWaitTimeInMs });
      const failed = new Promise<never>((_, reject) => {
        consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error));
      });
      await consumer.connect();
      await consumer.subscribe({ topic: work.source, fromBeginning: true });
      await consumer.run({ ...run(work), partitionsConsumedConcurrently: partitions });
      await Promise.race([work.finished, failed]);
      await consumer.disconnect(); // When the fetch in hand is committed.
    },
  };
}

export const kafkaContenders: readonly Contender[] = [
  plain("eachBatch", ({ handler }) => ({
    eachBatch: async ({ batch }) => {
      for (const { value } of batch.messages) await handler(value ?? nothing);
    },
  })),
  plain("eachMessage", ({ handler }) => ({
    eachMessage: ({ message: { value } }) => handler(value ?? nothing),
  })),
  ours("consume", (work) =>
    kafkaSubscriber({
      kafka: kafkaAt(work),
      groupId: work.name,
      maxUncommitted: Math.max(aFetch, work.window),
      consumer: { maxWaitTimeInMs },
    }),
  ),
];
