import { contract } from "@lab/contract";
import { solaceCapabilities } from "@lab/testbed/rigs";
import { testBrokerRig } from "./support/rigs.ts";

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
