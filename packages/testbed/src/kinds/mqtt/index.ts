import type { NativeKind } from "../../kind.ts";
import { clients } from "./clients.ts";
import { mqttHandshake } from "./handshake.ts";
import { lab } from "./lab.ts";
import { mosquitto, save } from "./mosquitto.ts";

export const mqtt: NativeKind = {
  name: "mqtt",
  urlVariable: "MQTT_URL",
  schemes: { plain: { name: "mqtt", port: 1883 }, tls: { name: "mqtts", port: 8883 } },
  handshake: mqttHandshake,
  docker: {
    profile: "mqtt",
    service: "mosquitto",
    portVariable: "MQTT_PORT",
    dataFolder: "/mosquitto/data",
    save,
  },
  native: mosquitto,
  embedded: lab,
  tools: clients,
};
