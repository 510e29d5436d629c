import type { BrokerKind } from "../../kind.ts";
import { solaceHandshake } from "./handshake.ts";
import { testBroker } from "./test-broker.ts";

export const solace: BrokerKind = {
  name: "solace",
  urlVariable: "SOLACE_URL",
  schemes: { plain: { name: "tcp", port: 55_555 }, tls: { name: "tcps", port: 55_443 } },
  handshake: solaceHandshake,
  docker: {
    profile: "solace",
    service: "solace",
    portVariable: "SOLACE_PORT",
    dataFolder: "/var/lib/solace",
  },
  embedded: testBroker,
};
