import { contract, type Support } from "@lab/contract";
import { mqttPublisher, mqttSubscriber } from "@lab/mqtt";
import { startBroker } from "@lab/testbed";
import { mqttCapabilities, mqttRig } from "@lab/testbed/rigs";
import { describe } from "vitest";
import { withMosquitto } from "./support/mosquitto.ts";

const adapter = { mqttSubscriber, mqttPublisher };
const credentials = { username: "rig", password: "right" };

const variants = {
  "MQTT 5": {},
  "MQTT 3.1.1": { protocolVersion: 4 },
  "MQTT 5, shared, settled one by one": { shared: true, settleOrder: "settled" },
} as const;

const onEach = (how: "native" | "embedded", restart: Support): void => {
  for (const [name, variant] of Object.entries(variants)) {
    contract({
      name,
      capabilities: mqttCapabilities({ ...variant, credentials: true, restart }),
      rig: async () => {
        const broker = await startBroker("mqtt", { how, credentials });
        return mqttRig({ ...variant, adapter, broker });
      },
    });
  }
};

describe.skipIf(!withMosquitto)("mosquitto", () => onEach("native", true));

describe("@lab/mqtt-broker (embedded)", () =>
  onEach("embedded", "What it keeps ends with this process."));
