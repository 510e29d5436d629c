import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { mqttPublisher } from "@lab/mqtt";
import mqtt from "mqtt";
import { describe, expect, onTestFinished, test } from "vitest";
import { publish, subscribe, texts } from "./support/clients.ts";
import { privateFolder } from "./support/folder.ts";
import { mosquitto, withMosquitto } from "./support/mosquitto.ts";
import { vacantPort } from "./support/vacant-port.ts";

describe.skipIf(!withMosquitto)("the connection is that of the user's client", () => {
  test.for([5, 4] as const)("MQTT %s: TLS and credentials", async (protocolVersion) => {
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

  test("WebSocket", async () => {
    const port = await vacantPort();
    await mosquitto({ config: [`listener ${port} 127.0.0.1`, "protocol websockets"] });
    const url = `ws://127.0.0.1:${port}`;
    const { inbox, subscription } = await subscribe({ url, window: 4 });
    inbox.onDelivery = (delivery) => setTimeout(() => inbox.settle(delivery), 1);
    await publish(url, texts(50));
    await inbox.received(50);
    await subscription.close();
    expect(inbox.bodies).toEqual(texts(50));
    expect(inbox.mostOpen).toBe(4);
  });

  test("a certificate that the server asks for and does not get is an access refused", async () => {
    const folder = privateFolder();
    const [keyFile, certFile] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const request = `req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -keyout ${keyFile} -out ${certFile}`;
    execFileSync("openssl", request.split(" "), { stdio: "ignore" });
    const server = createTlsServer({
      key: readFileSync(keyFile),
      cert: readFileSync(certFile),
      requestCert: true,
      rejectUnauthorized: true,
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.close();
    });
    const url = `mqtts://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(subscribe({ url, client: { rejectUnauthorized: false } })).rejects.toMatchObject({
      code: "ACCESS_REFUSED",
      message: expect.stringContaining("certificate"),
    });
  });
});
