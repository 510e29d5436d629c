// The subscriber of the README that has several hosts and declares its queue.
import { amqpSubscriber } from "@lab/amqp";
import * as amqplib from "amqplib";

const hosts: string[] = JSON.parse(process.env.AMQP_HOSTS_OF_README ?? "[]");
const ca: string | undefined = process.env.AMQP_CA_OF_README;

const subscriber = amqpSubscriber({
  // hosts: ["amqps://orders:secret@a.example/shop", "amqps://orders:secret@b.example/shop"]
  connect: hosts.map(
    (host) => (defaults) => amqplib.connect(`${host}?heartbeat=15`, { ...defaults, ca }),
  ),
  queueType: "quorum",
  declare: (channel, queue) =>
    channel.assertQueue(queue, {
      deadLetterExchange: "dead",
      arguments: {
        "x-queue-type": "quorum",
        "x-delivery-limit": 20,
        "x-single-active-consumer": true,
      },
    }),
});

export { subscriber };
