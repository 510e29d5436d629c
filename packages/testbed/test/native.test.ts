import { readdirSync } from "node:fs";
import { createServer } from "node:net";
import { startBroker } from "@lab/testbed";
import { describe, expect, test, vi } from "vitest";
import { findCommand } from "../src/command.ts";
import { freePort } from "../src/free-port.ts";
import { mqtt } from "../src/kinds/mqtt/index.ts";
import { startNative } from "../src/native.ts";
import { client, eventually, privateFolder, processesWith, withMosquitto } from "./support.ts";

describe.runIf(withMosquitto)("native broker", () => {
  test("answers a handshake when it is there, and says who it is", async () => {
    await using broker = await startBroker("mqtt", { how: "native", real: true });
    expect(broker).toMatchObject({ name: "mqtt", product: "mosquitto", how: "native", real: true });
    expect(broker.version).toMatch(/^\d+\.\d+/);
    expect((await client(broker.url)).connected).toBe(true);
    expect((await client(broker.directUrl)).connected).toBe(true);
  });

  test("has no limit of its own on messages in flight", async () => {
    await using broker = await startBroker("mqtt", { how: "native" });
    const subscriber = await client(broker.url);
    let received = 0;
    subscriber.handleMessage = (_packet, done) => {
      received += 1;
      done(new Error("not acknowledged"));
    };
    await subscriber.subscribeAsync("t", { qos: 1 });
    const publisher = await client(broker.url);
    await Promise.all(
      Array.from({ length: 500 }, () => publisher.publishAsync("t", "x", { qos: 1 })),
    );
    await eventually("all arrive unacknowledged", () => received === 500);
  });

  test("shares nothing with another one", async () => {
    await using first = await startBroker("mqtt", { how: "native" });
    await using second = await startBroker("mqtt", { how: "native" });
    await (await client(first.url)).publishAsync("t", "kept", { qos: 1, retain: true });
    const seen: string[] = [];
    const reader = await client(second.url, {}, (_topic, payload) => void seen.push(`${payload}`));
    await reader.subscribeAsync("t");
    await reader.publishAsync("t", "marker", { qos: 1 });
    await eventually("the marker arrives", () => seen.length > 0);
    expect(seen).toEqual(["marker"]);
  });

  test("lets in only those with the credentials", async () => {
    const credentials = { username: "lab ü", password: "p@ss/wörd" };
    await using broker = await startBroker("mqtt", { how: "native", credentials });
    expect((await client(broker.url)).connected).toBe(true); // they are part of the URL
    const bare = broker.url.replace(/\/\/.*@/, "//");
    await expect(client(bare)).rejects.toThrow("Not authorized");
    await expect(client(bare, { username: "lab ü", password: "wrong" })).rejects.toThrow(
      "Not authorized",
    );
    expect((await client(bare, credentials)).connected).toBe(true);
  });

  test("serves TLS with a certificate to be trusted, still after a restart", async () => {
    await using broker = await startBroker("mqtt", { how: "native", tls: true });
    expect(broker.url).toMatch(/^mqtts:/);
    const ca = broker.ca ?? "";
    expect((await client(broker.url, { ca })).connected).toBe(true);
    await expect(client(broker.url)).rejects.toThrow(/self-signed/);
    await expect(client(broker.url.replace("mqtts", "mqtt"))).rejects.toThrow();
    await broker.restart?.();
    expect((await client(broker.url, { ca })).connected).toBe(true);
  });

  test("takes another port when the one it has chosen is taken meanwhile", async () => {
    const squatter = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => squatter.once("listening", resolve));
    const address = squatter.address();
    const taken = typeof address === "object" ? (address?.port ?? 0) : 0;
    const choosePort = vi.fn(freePort).mockResolvedValueOnce(taken).mockResolvedValueOnce(taken);
    const path = findCommand("mosquitto") ?? "";
    const server = await startNative(mqtt, path, {}, choosePort);
    try {
      expect(choosePort).toHaveBeenCalledTimes(3);
      expect(server.target.port).not.toBe(taken);
      await mqtt.handshake(server.target, {});
    } finally {
      await server.stop();
      squatter.close();
    }
  });

  test("shows its log when it does not come up, and leaves nothing behind", async () => {
    const folder = privateFolder();
    vi.stubEnv("TMPDIR", folder);
    try {
      const start = startBroker("mqtt", { how: "native", config: ["no_such_setting 1"] });
      await expect(start).rejects.toMatchObject({ code: "BROKER_START_FAILED" });
      await expect(start).rejects.toThrow(/Unknown configuration variable "no_such_setting"/);
    } finally {
      vi.unstubAllEnvs();
    }
    expect(readdirSync(folder)).toEqual([]);
    expect(processesWith(folder)).toEqual([]);
  });

  test("stops starting when it is told to, and leaves nothing behind", async () => {
    const folder = privateFolder();
    const abort = new AbortController();
    const reason = new Error("enough");
    vi.stubEnv("TMPDIR", folder);
    try {
      const start = startBroker("mqtt", { how: "native", signal: abort.signal });
      await eventually("it is being started", () => readdirSync(folder).length > 0);
      abort.abort(reason);
      await expect(start).rejects.toBe(reason);
      await expect(startBroker("mqtt", { signal: abort.signal })).rejects.toBe(reason);
    } finally {
      vi.unstubAllEnvs();
    }
    expect(readdirSync(folder)).toEqual([]);
    expect(processesWith(folder)).toEqual([]);
  });
});
