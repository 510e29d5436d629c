import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connect, type IClientOptions, type MqttClient } from "mqtt";
import { onTestFinished } from "vitest";
import { findCommand } from "../src/command.ts";

const { LAB_REQUIRE_BROKERS } = process.env;

/** Without it, the tests that need it are skipped, unless every broker is required. */
export const withMosquitto: boolean =
  LAB_REQUIRE_BROKERS === "1" || findCommand("mosquitto") !== undefined;

if (!withMosquitto) {
  console.warn("Skipped: tests of a native broker. mosquitto: npm run brokers -- install mqtt");
}

/** A folder for one test. */
export function privateFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "testbed-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export type OnMessage = Parameters<typeof MqttClient.prototype.on<"message">>[1];

/**
 * A client that is connected, does not reconnect, and ends with the test. `onMessage` is there before it connects, as a
 * session that the broker has kept sends at once.
 */
export async function client(
  url: string,
  options: IClientOptions = {},
  onMessage: OnMessage = () => undefined,
): Promise<MqttClient> {
  const client = connect(url, {
    protocolVersion: 4,
    reconnectPeriod: 0,
    connectTimeout: 5_000,
    ...options,
  });
  onTestFinished(() => client.endAsync(true));
  client.on("message", onMessage);
  await new Promise<void>((resolve, reject) => {
    client.once("connect", () => resolve());
    client.once("error", reject);
    client.once("close", () => reject(new Error("Closed before it was connected")));
  });
  client.on("error", () => undefined);
  return client;
}

/** Resolves when the client has lost its connection, in whatever way. */
export function lost(client: MqttClient): Promise<void> {
  return new Promise((resolve) => client.once("close", () => resolve()));
}

/** Waits for something that must become true, and says what when it does not. */
export async function eventually(
  what: string,
  check: () => boolean | Promise<boolean>,
  limit = 15_000,
): Promise<void> {
  const deadline = performance.now() + limit;
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error(`Not within ${limit} ms: ${what}`);
    await sleep(20);
  }
}

/** Processes that mention a text in their command line or environment, as `ps` shows them: number first. */
export function processesWith(text: string): string[] {
  return execFileSync("ps", ["axeww", "-o", "pid=,args="], { encoding: "utf8", maxBuffer: 2 ** 26 })
    .split("\n")
    .filter((line) => line.includes(text));
}
