import { mqttPublisher } from "@lab/mqtt";
import mqtt from "mqtt";
import { describe, expect, onTestFinished, test } from "vitest";
import { subscribe } from "./support/clients.ts";
import { mosquitto, withMosquitto } from "./support/mosquitto.ts";

describe.skipIf(!withMosquitto)("TLS and credentials are those of the user's client", () => {
  test.for([5, 4] as const)("MQTT %s", async (protocolVersion) => {
    const { url, ca } = await mosquitto({
      tls: true,
      credentials: { username: "orders", password: "pass/w0rd@ü" },
    });
    expect(url).toMatch(/^mqtts:/);
    const trust = ca === undefined ? {} : { ca };
    const { inbox } = await subscribe({ url, protocolVersion, client: trust });
    const publisher = mqttPublisher({
      protocolVersion,
      connect: (defaults) => mqtt.connect(url, { ...defaults, ...trust }),
    });
    onTestFinished(() => publisher.close());
    await publisher.publish("t", [{ body: Buffer.from("secret") }]);
    await inbox.received(1);
    expect(inbox.deliveries[0]?.settle("ack")).toBe("settled");
  });
});
