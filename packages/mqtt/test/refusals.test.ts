import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { inspect } from "node:util";
import { LabError } from "@lab/core";
import { Inbox } from "@lab/testbed/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { type SubscribeTo, subscribe } from "./support/clients.ts";
import { mosquitto, withMosquitto } from "./support/mosquitto.ts";
import { scriptedBroker } from "./support/scripted-broker.ts";
import { vacantPort } from "./support/vacant-port.ts";

const credentials = { username: "orders", password: "s3cret-word" };
const versions = [5, 4] as const;

/** Must fail, soon, without a secret in what is printed and without a word to the sink afterwards. */
async function refusal(to: SubscribeTo): Promise<LabError> {
  const inbox = new Inbox();
  const error: unknown = await subscribe({ ...to, inbox }).then(
    () => expect.unreachable("it was accepted"),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(LabError);
  expect(inspect(error, { depth: 9 })).not.toContain(credentials.password);
  expect(inbox.failures).toEqual([]);
  return error as LabError;
}

describe.skipIf(!withMosquitto)("subscribe fails fast (on mosquitto)", () => {
  test.for(versions)("MQTT %s: with the wrong password", async (protocolVersion) => {
    const { url } = await mosquitto({ credentials: { ...credentials, password: "another" } });
    const wrong = new URL(url);
    wrong.username = credentials.username;
    wrong.password = credentials.password;
    const error = await refusal({ url: wrong.href, protocolVersion });
    expect(error.code).toBe("ACCESS_REFUSED");
    expect(error.message).toContain("Check the user name");
  });

  test("over plain TCP where the broker speaks TLS", async () => {
    const { url } = await mosquitto({ tls: true });
    const error = await refusal({ url: url.replace("mqtts:", "mqtt:") });
    expect(error.code).toBe("BROKER_UNREACHABLE");
  });

  test("over TLS where the certificate is not trusted", async () => {
    const { url } = await mosquitto({ tls: true });
    const error = await refusal({ url });
    expect(error.code).toBe("BROKER_UNREACHABLE");
    expect(error.message).toContain("self-signed certificate");
  });
});

describe("subscribe fails fast", () => {
  test("where nothing listens", async () => {
    const error = await refusal({ url: `mqtt://127.0.0.1:${await vacantPort()}` });
    expect(error).toMatchObject({
      code: "BROKER_UNREACHABLE",
      message: /127\.0\.0\.1.*ECONNREFUSED/,
    });
  });

  test("where the host has no address", async () => {
    const error = await refusal({ url: "mqtt://no-such-host.invalid" });
    expect(error.code).toBe("BROKER_UNREACHABLE");
  });

  test("where something listens that does not answer", async () => {
    const port = await listening(() => {});
    const started = performance.now();
    const error = await refusal({ url: `mqtt://127.0.0.1:${port}`, connectTimeout: 200 });
    expect(error.code).toBe("BROKER_UNREACHABLE");
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test("where something hangs up", async () => {
    const port = await listening((socket) => socket.destroy());
    const error = await refusal({ url: `mqtt://127.0.0.1:${port}` });
    expect(error.code).toBe("BROKER_UNREACHABLE");
  });

  test.for([
    [0x84, "INVALID_OPTION"],
    [0x85, "INVALID_OPTION"],
    [0x87, "ACCESS_REFUSED"],
    [0x88, "BROKER_UNREACHABLE"],
    [0x8a, "ACCESS_REFUSED"],
    [0x97, "BROKER_UNREACHABLE"],
  ] as const)("with CONNACK reason %s: %s", async ([reasonCode, code]) => {
    const broker = await scriptedBroker(() => ({ reasonCode }));
    expect((await refusal({ url: broker.url })).code).toBe(code);
  });

  test.for([
    [1, "INVALID_OPTION"],
    [2, "INVALID_OPTION"],
    [3, "BROKER_UNREACHABLE"],
    [5, "ACCESS_REFUSED"],
  ] as const)("with MQTT 3.1.1 return code %s: %s", async ([reasonCode, code]) => {
    const broker = await scriptedBroker(() => ({ reasonCode }));
    expect((await refusal({ url: broker.url, protocolVersion: 4 })).code).toBe(code);
  });

  test.for([
    [0x80, "ACCESS_REFUSED"],
    [0x87, "ACCESS_REFUSED"],
    [0x8f, "INVALID_OPTION"],
    [0x9e, "INVALID_OPTION"],
  ] as const)("with SUBACK reason %s: %s", async ([reason, code]) => {
    const broker = await scriptedBroker(
      () => ({}),
      undefined,
      () => reason,
    );
    expect((await refusal({ url: broker.url })).code).toBe(code);
  });

  test("when the broker grants less than was asked for: messages could be lost", async () => {
    const broker = await scriptedBroker(
      () => ({}),
      undefined,
      () => 0,
    );
    const error = await refusal({ url: broker.url });
    expect(error).toMatchObject({ code: "INVALID_OPTION" });
    expect(error.message).toContain("qos: 0");
  });

  test("and tries every server that the client knows before", async () => {
    const broker = await scriptedBroker(() => ({}));
    const servers = [
      { host: "127.0.0.1", port: await vacantPort() },
      { host: "127.0.0.1", port: Number(new URL(broker.url).port) },
    ];
    const { client } = await subscribe({ url: broker.url, client: { servers } });
    expect(client.connected).toBe(true);
  });

  test("when it is aborted, with the reason of the signal", async () => {
    const port = await listening(() => {});
    const connect = (signal: AbortSignal) => subscribe({ url: `mqtt://127.0.0.1:${port}`, signal });
    const reason = new Error("changed my mind");
    await expect(connect(AbortSignal.abort(reason))).rejects.toBe(reason);
    const controller = new AbortController();
    const pending = connect(controller.signal);
    controller.abort(reason);
    await expect(pending).rejects.toBe(reason);
  });
});

async function listening(onSocket: Parameters<typeof createServer>[1]): Promise<number> {
  const server = createServer({}, onSocket);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
