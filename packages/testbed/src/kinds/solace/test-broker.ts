import { SolaceTestBroker } from "@lab/solace-testbroker";
import type { EmbeddedSetup } from "../../kind.ts";
import { testBrokerPlatform } from "./handshake.ts";

/** Our own test double within this process: not a Solace product, and nothing that holds on it need hold on one. */
export const testBroker: EmbeddedSetup = {
  product: testBrokerPlatform,
  version: "0.1.0",
  real: false,
  start: async ({ credentials }) => {
    const broker = new SolaceTestBroker({ ...(credentials && { credentials }) });
    await broker.start();
    return { port: broker.port, stop: () => broker.stop() };
  },
};
