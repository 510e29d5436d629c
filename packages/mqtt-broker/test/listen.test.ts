import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { createServer } from "node:net";
import { createMqttBroker, type MqttBrokerOptions } from "@lab/mqtt-broker";
import mqtt from "mqtt";
import { describe, expect, test } from "vitest";
import WebSocket from "ws";
import { start } from "./support/broker.ts";
import { certificate } from "./support/certificate.ts";
import { connect, RawClient, subscribe } from "./support/raw-client.ts";

const { cert, key } = certificate();
const tls = { cert, key };

describe.each([
  ["mqtt", false, false],
  ["mqtts", true, false],
  ["ws", false, true],
  ["wss", true, true],
])("%s", (scheme, secure, webSocket) => {
  test.each([4, 5] as const)(
    "carries version %i: large, many, both ways",
    async (protocolVersion) => {
      const { broker, url } = await start({}, { webSocket, ...(secure && { tls }) });
      expect(url).toMatch(new RegExp(`^${scheme}://127.0.0.1:\\d+$`));
      const client = await mqtt.connectAsync(url, {
        protocolVersion,
        ca: tls.cert,
        reconnectPeriod: 0,
      });
      const got: string[] = [];
      client.on("message", (_topic, payload) => got.push(payload.toString()));
      await client.subscribeAsync("t/#", { qos: 2 });
      const large = "x".repeat(1_000_000);
      await client.publishAsync("t/large", large, { qos: 2 });
      const payloads = Array.from({ length: 2_000 }, (_, i) => `${i}`);
      await broker.inject(payloads.map((payload) => ({ topic: "t/many", payload, qos: 1 })));
      await expect.poll(() => got.length, { timeout: 10_000 }).toBe(2_001);
      expect(got[0] === large).toBe(true);
      expect(got.slice(1)).toEqual(payloads);
      await client.endAsync();
    },
  );
});

test("one broker listens in several ways", async () => {
  const { broker, port } = await start();
  const { url } = await broker.listen({ port: 0, webSocket: true });
  const client = await mqtt.connectAsync(url, { reconnectPeriod: 0 });
  const other = await connect(port);
  await subscribe(other, "t");
  await client.publishAsync("t", "across");
  expect((await other.next("publish")).payload.toString()).toBe("across");
  await client.endAsync(true);
});

test("a listener that is closed takes no more connections; those that are open stay", async () => {
  const broker = createMqttBroker();
  const listener = await broker.listen({ port: 0 });
  const client = await connect(listener.port);
  await listener.close();
  const late = new RawClient(listener.port, 5);
  await late.gone();
  await client.nothing();
  await broker.close();
});

test("connections of the application's own server can be attached", async () => {
  const { broker } = await start();
  const server = createServer((socket) => broker.attach(socket, "somewhere"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const connects: unknown[] = [];
  broker.on("connect", ({ remoteAddress }) => connects.push(remoteAddress));
  const client = await connect((server.address() as { port: number }).port);
  await client.nothing();
  expect(connects).toEqual(["somewhere"]);
  server.close();
});

describe("TLS", () => {
  test("can ask clients for a certificate", async () => {
    const { url } = await start({}, { tls: { ...tls, ca: tls.cert, requestCert: true } });
    const options = { ca: tls.cert, reconnectPeriod: 0 };
    await expect(mqtt.connectAsync(url, options)).rejects.toThrow();
    const client = await mqtt.connectAsync(url, { ...options, cert: tls.cert, key: tls.key });
    await client.endAsync();
  });

  test("who does not speak it does no harm", async () => {
    const { url, port } = await start({}, { tls });
    const plain = new RawClient(port, 5);
    plain.write(Buffer.from("hello there, this is no handshake"));
    await plain.gone();
    const client = await mqtt.connectAsync(url, { ca: tls.cert, reconnectPeriod: 0 });
    await client.endAsync();
  });
});

describe("WebSocket", () => {
  test("without the subprotocol is closed", async () => {
    const { url } = await start({}, { webSocket: true });
    const socket = new WebSocket(url);
    const [code] = await once(socket, "close");
    expect(code).toBe(1002);
  });

  test("with text is closed", async () => {
    const { url } = await start({}, { webSocket: true });
    const socket = new WebSocket(url, "mqtt");
    await once(socket, "open");
    socket.send("text");
    const [code] = await once(socket, "close");
    expect(code).toBe(1003);
  });

  test("plain HTTP is told what this is", async () => {
    const { port } = await start({}, { webSocket: true });
    const get = request({ port, host: "127.0.0.1", agent: false });
    get.end();
    const [response] = await once(get, "response");
    expect(response.statusCode).toBe(426);
    response.resume();
  });
});

describe("bad options", () => {
  test.each([
    [{ maxClients: 0 }, /maxClients.*at least 1, got 0/],
    [{ maxInflight: 65_536 }, /maxInflight.*from 1 to 65535/],
    [{ receiveMaximum: 1.5 }, /receiveMaximum.*1.5/],
    [{ maxPacketSize: "1MB" }, /maxPacketSize.*"1MB"/],
    [{ slowClientTimeout: Number.POSITIVE_INFINITY }, /slowClientTimeout/],
    [{ authenticate: true }, /authenticate.*a function/],
    [{ maxClient: 1 }, /maxClients.*got "maxClient"/],
    [null, /options/],
  ])("%j", (options, message) => {
    expect(() => createMqttBroker(options as unknown as MqttBrokerOptions)).toThrow(
      expect.objectContaining({ code: "INVALID_OPTION", message: expect.stringMatching(message) }),
    );
  });

  test("a port that cannot be", async () => {
    const { broker, port } = await start();
    await expect(broker.listen({ port: -1 })).rejects.toMatchObject({ code: "INVALID_OPTION" });
    await expect(broker.listen({ port: 0, host: "" })).rejects.toMatchObject({
      code: "INVALID_OPTION",
    });
    await expect(broker.listen({ port })).rejects.toMatchObject({
      code: "BROKER_START_FAILED",
      message: expect.stringContaining(`127.0.0.1:${port}`),
    });
    await expect(broker.listen({ port, webSocket: true })).rejects.toMatchObject({
      code: "BROKER_START_FAILED",
    });
    await expect(
      broker.listen({ port: 0, tls: { cert: "none", key: "none" } }),
    ).rejects.toMatchObject({
      code: "INVALID_OPTION",
    });
  });
});

test("nothing keeps the process alive after close", async () => {
  const script = `
    import { createMqttBroker } from ${JSON.stringify(new URL("../dist/index.js", import.meta.url).href)};
    import { connect } from "node:net";
    const broker = createMqttBroker();
    const { port } = await broker.listen({ port: 0 });
    await broker.listen({ port: 0, webSocket: true });
    const socket = connect(port, "127.0.0.1");
    await new Promise((resolve) => socket.once("connect", resolve));
    await broker.listen({ port: 0, tls: ${JSON.stringify(tls)} }).then(({ port }) => connect(port, "127.0.0.1"));
    await new Promise((resolve) => setTimeout(resolve, 100));
    await broker.inject([{ topic: "t", payload: "x", retain: true }]);
    await broker.close();
    await broker.close();
  `;
  execFileSync(process.execPath, ["--input-type=module", "-e", script], { timeout: 20_000 });
});
