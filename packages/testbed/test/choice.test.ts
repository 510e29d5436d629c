import { LabError } from "@lab/core";
import { availability, type BrokerName, brokerNames, type How, startBroker } from "@lab/testbed";
import { afterEach, describe, expect, test, vi } from "vitest";
import { freePort } from "../src/free-port.ts";
import { client, lost, withMosquitto } from "./support.ts";

afterEach(() => void vi.unstubAllEnvs());

const failure = (promise: Promise<unknown>): Promise<LabError> =>
  promise.then(
    () => expect.unreachable("it should have failed"),
    (error) => {
      expect(error).toBeInstanceOf(LabError);
      return error;
    },
  );

describe("where only the embedded broker is there", () => {
  test("it is used, and named as what it is", async () => {
    vi.stubEnv("PATH", "/nowhere");
    vi.stubEnv("MQTT_URL", "");
    const { use, passedOver } = await availability("mqtt");
    expect(use).toMatchObject({ how: "embedded", product: "lab-mqtt-broker", real: false });
    expect(passedOver.map(({ how }) => how)).toEqual(["running", "docker", "native"]);
    await using broker = await startBroker("mqtt");
    expect(broker).toMatchObject({ product: "lab-mqtt-broker", how: "embedded", real: false });
    expect(broker.version).toBe(use?.version);
  });

  test("a real one is refused, with what was considered and what to do", async () => {
    vi.stubEnv("PATH", "/nowhere");
    vi.stubEnv("MQTT_URL", "");
    const { code, message } = await failure(startBroker("mqtt", { real: true }));
    expect(code).toBe("BROKER_START_FAILED");
    for (const part of [
      "running: MQTT_URL is not set",
      "docker: there is no docker command on PATH",
      "native: mosquitto is not installed",
      "embedded: lab-mqtt-broker is not a real broker",
      "npm run brokers -- install mqtt",
    ]) {
      expect(message).toContain(part);
    }
    expect((await availability("mqtt", { real: true })).use).toBeUndefined();
  });

  test("it takes credentials, but neither TLS nor configuration", async () => {
    const credentials = { username: "u", password: "p" };
    await using broker = await startBroker("mqtt", { how: "embedded", credentials });
    expect((await client(broker.url)).connected).toBe(true);
    await expect(client(broker.url.replace(":p@", ":q@"))).rejects.toThrow();
    for (const options of [{ tls: true }, { config: ["x y"] }]) {
      const { code, message } = await failure(startBroker("mqtt", { how: "embedded", ...options }));
      expect(code).toBe("BROKER_START_FAILED");
      expect(message).toContain(`lab-mqtt-broker does not do \`${Object.keys(options)[0]}\``);
    }
  });
});

test.runIf(withMosquitto)("a server in sbin is found beside the bin folder on PATH", async () => {
  vi.stubEnv("PATH", "/usr/bin");
  expect((await availability("mqtt", { how: "native" })).use).toMatchObject({
    product: "mosquitto",
    where: "/usr/sbin/mosquitto",
  });
});

describe("a broker that runs already", () => {
  test("comes first, is not configured, and is left running", async () => {
    await using there = await startBroker("mqtt", { how: "embedded" });
    vi.stubEnv("MQTT_URL", there.directUrl);
    expect((await availability("mqtt")).use).toMatchObject({
      how: "running",
      product: "lab-mqtt-broker",
      real: false,
      where: there.directUrl,
    });
    const broker = await startBroker("mqtt");
    expect(broker).toMatchObject({ how: "running", directUrl: there.directUrl });
    expect(broker.kill).toBeUndefined();
    const through = await client(broker.url);
    const cut = lost(through);
    await broker.cut();
    await cut;
    await broker.stop();
    expect((await client(there.url)).connected).toBe(true);

    const credentials = { username: "u", password: "p" };
    const { use, passedOver } = await availability("mqtt", { credentials });
    expect(use?.how).not.toBe("running");
    expect(passedOver[0]?.why).toContain("`credentials` was asked for");
  });

  test("is not taken for a real one when it is embedded", async () => {
    await using there = await startBroker("mqtt", { how: "embedded" });
    vi.stubEnv("MQTT_URL", there.directUrl);
    vi.stubEnv("PATH", "/nowhere");
    const { message } = await failure(startBroker("mqtt", { real: true }));
    expect(message).toContain("running: MQTT_URL names an embedded lab-mqtt-broker");
  });

  test("is used with the credentials of its URL, and reported without the password", async () => {
    const credentials = { username: "u", password: "s3cret" };
    await using there = await startBroker("mqtt", { how: "embedded", credentials });
    vi.stubEnv("MQTT_URL", there.directUrl);
    await using broker = await startBroker("mqtt");
    expect((await client(broker.url)).connected).toBe(true);
    expect((await availability("mqtt")).use?.where).not.toContain("s3cret");

    vi.stubEnv("MQTT_URL", there.directUrl.replace("s3cret", "wr0ng"));
    const { code, message } = await failure(startBroker("mqtt"));
    expect(code).toBe("ACCESS_REFUSED");
    expect(message).not.toContain("wr0ng");
  });

  test("that does not answer is an error: nothing else is used in its place", async () => {
    vi.stubEnv("MQTT_URL", `mqtt://127.0.0.1:${await freePort()}`);
    const { code, message } = await failure(startBroker("mqtt"));
    expect(code).toBe("BROKER_UNREACHABLE");
    expect(message).toMatch(/MQTT_URL names .*ECONNREFUSED.*unset/s);
  });

  test.each(["nonsense", "http://localhost", "mqtt://", "mqtt://u:s3cret@host:99999"])(
    "with the URL %s is bad input",
    async (url) => {
      vi.stubEnv("MQTT_URL", url);
      const { code, message } = await failure(startBroker("mqtt"));
      expect(code).toBe("INVALID_OPTION");
      expect(message).toContain("mqtt://localhost:1883");
      expect(message).not.toContain("s3cret");
    },
  );
});

describe("bad input", () => {
  test("an unknown broker", async () => {
    const { code, message } = await failure(startBroker("zeromq" as BrokerName));
    expect(code).toBe("INVALID_OPTION");
    expect(message).toContain(`one of ${brokerNames.join(", ")}, got "zeromq"`);
  });

  test.each([
    [{ how: "magic" as How }, "`how`"],
    [{ credentials: { username: "", password: "p" } }, "`credentials.username`"],
    [{ credentials: { username: "a:b", password: "p" } }, "`credentials.username`"],
    [{ config: ["a 1\nb 2"] }, "`config`"],
  ])("%o", async (options, named) => {
    const { code, message } = await failure(startBroker("mqtt", options));
    expect(code).toBe("INVALID_OPTION");
    expect(message).toContain(named);
  });
});
