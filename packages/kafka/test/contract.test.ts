import { contract } from "@lab/contract";
import { kafkaPublisher, kafkaSubscriber } from "@lab/kafka";
import { startBroker } from "@lab/testbed";
import { kafkaCapabilities, kafkaRig } from "@lab/testbed/rigs";
import { describe } from "vitest";
import { withKafka } from "./support/kafka.ts";

const adapter = { kafkaSubscriber, kafkaPublisher };
const credentials = { username: "rig", password: "right" };

describe.skipIf(!withKafka)("Apache Kafka", () => {
  const variants = {
    "three partitions": {},
    "one partition, completions in metadata": { partitions: 1, completionsInMetadata: true },
  } as const;
  for (const [name, variant] of Object.entries(variants)) {
    contract({
      name,
      capabilities: kafkaCapabilities({ ...variant, credentials: true, cut: true, restart: true }),
      rig: async () => {
        const broker = await startBroker("kafka", { how: "native", credentials });
        return kafkaRig({ ...variant, adapter, broker });
      },
    });
  }
});
