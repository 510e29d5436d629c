import { contract } from "@lab/contract";
import { startBroker } from "@lab/testbed";
import { solaceCapabilities, solaceRig } from "@lab/testbed/rigs";
import { describe } from "vitest";
import { adapter, testBrokerRig } from "./support/rigs.ts";

const variants = {
  "redelivered under the same ids": { redeliveredIds: "same" },
  "redelivered under new ids, deliveries counted": { redeliveredIds: "new", deliveryCount: true },
  "partitioned queue": { redeliveredIds: "same", partitioned: true },
  "queues made by the client": { redeliveredIds: "new", clientOnly: true },
} as const;

for (const [name, variant] of Object.entries(variants)) {
  contract({
    name: `solace-testbroker (a test double): ${name}`,
    capabilities: solaceCapabilities({ ...variant, credentials: true, restart: true }),
    rig: () => testBrokerRig(variant),
  });
}

// Nobody is required to have one: `LAB_REQUIRE_BROKERS` does not ask for it.
const { SOLACE_URL: url } = process.env;
if (url === undefined) {
  console.info("Skipped: the contract on a broker of yours. SOLACE_URL names none.");
}

describe.skipIf(url === undefined)("the broker at SOLACE_URL", () => {
  contract({
    name: "queues made by the client",
    capabilities: solaceCapabilities({
      credentials: url !== undefined && new URL(url).password !== "",
      restart: "A broker that was found running is left running.",
    }),
    rig: async () =>
      solaceRig({ adapter, broker: await startBroker("solace", { how: "running" }) }),
  });
});
