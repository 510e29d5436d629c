import type { BrokerKind } from "../../kind.ts";
import { amqpHandshake } from "./handshake.ts";
import { rabbitmq, save } from "./rabbitmq.ts";

export const amqp: BrokerKind = {
  name: "amqp",
  urlVariable: "AMQP_URL",
  schemes: { plain: { name: "amqp", port: 5672 }, tls: { name: "amqps", port: 5671 } },
  handshake: amqpHandshake,
  docker: {
    profile: "amqp",
    service: "rabbitmq",
    portVariable: "AMQP_PORT",
    dataFolder: "/var/lib/rabbitmq",
    admin: "rabbitmqctl",
    save,
  },
  native: rabbitmq,
};
