import { amqpPublisher, amqpSubscriber } from "@lab/amqp";
import { contract } from "@lab/contract";
import { amqpCapabilities, amqpRig } from "@lab/testbed/rigs";
import { describe } from "vitest";
import { rabbitMq, withRabbitMq } from "./support/rabbitmq.ts";

const adapter = { amqpSubscriber, amqpPublisher };
const credentials = { username: "rig", password: "right" };

describe.skipIf(!withRabbitMq)("RabbitMQ", () => {
  const variants = {
    "classic queue": {},
    "classic queue, multiple ack": { ack: "multiple" },
    "quorum queue": { queueType: "quorum" },
    "quorum queue, multiple ack": { queueType: "quorum", ack: "multiple" },
  } as const;
  for (const [name, variant] of Object.entries(variants)) {
    contract({
      name,
      capabilities: amqpCapabilities({ ...variant, restart: true }),
      rig: async () => amqpRig({ ...variant, adapter, broker: await rabbitMq({ credentials }) }),
    });
  }
});
