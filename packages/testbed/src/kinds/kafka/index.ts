import type { BrokerKind } from "../../kind.ts";
import { apacheKafka } from "./apache.ts";
import { urlOfBrokers } from "./environment.ts";
import { kafkaHandshake } from "./handshake.ts";

export const kafka: BrokerKind = {
  name: "kafka",
  urlVariable: "KAFKA_BROKERS",
  url: urlOfBrokers,
  schemes: { plain: { name: "kafka", port: 9092 }, tls: { name: "kafkas", port: 9093 } },
  advertises: true,
  handshake: kafkaHandshake,
  docker: {
    profile: "kafka",
    service: "kafka",
    portVariable: "KAFKA_PORT",
    advertise: { portVariable: "KAFKA_PROXIED_PORT", advertisedVariable: "KAFKA_ADVERTISED_PORT" },
    dataFolder: "/var/lib/kafka/data",
  },
  native: apacheKafka,
};
