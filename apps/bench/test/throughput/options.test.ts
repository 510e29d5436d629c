import os from "node:os";
import path from "node:path";
import { LabError } from "@lab/core";
import { expect, test } from "vitest";
import type { BrokerChoice } from "../../src/brokers.ts";
import { parseThroughputOptions } from "../../src/throughput/options.ts";
import { bench } from "../harness.ts";

test("the defaults measure each broker for about as long", () => {
  expect(parseThroughputOptions([])).toEqual({
    help: false,
    brokers: undefined,
    messages: { mqtt: 100_000, amqp: 40_000, kafka: 400_000, solace: 150_000 },
    window: 256,
    rounds: 5,
    out: undefined,
  });
});

test("every option is read", () => {
  const line = "--brokers all --messages 1000000 --window 64 --rounds 7 --out here";
  expect(parseThroughputOptions(line.split(" "))).toEqual({
    help: false,
    brokers: ["mqtt", "amqp", "kafka", "solace"],
    messages: { mqtt: 1e6, amqp: 1e6, kafka: 1e6, solace: 1e6 },
    window: 64,
    rounds: 7,
    out: "here",
  });
});

const refused: [string, RegExp][] = [
  ["--brokers memory", /`--brokers` to be "all" or names of mqtt, amqp, kafka, solace.*"memory"/],
  ["--messages 99", /`--messages` to be a whole number from 100/],
  ["--window 0", /`--window` to be a whole number from 1 to 65535/],
  ["--rounds 0", /`--rounds` to be a whole number from 1/],
  ["--keys 4", /an option of `throughput`.*got "--keys"/],
];

test.each(refused)("%s is refused with exit code 2", async (line, message) => {
  const outcome = await bench(["throughput", ...line.split(" ")]);
  expect(outcome.code).toBe(2);
  expect(outcome.err).toMatch(message);
});

test("a named broker that does not start makes the exit code 1", async () => {
  const start: BrokerChoice["start"] = () => {
    throw new LabError("BROKER_START_FAILED", "No RabbitMQ here.");
  };
  const choices: BrokerChoice[] = [{ name: "amqp", start }];
  const out = path.join(os.tmpdir(), "bench-none");
  const outcome = await bench(["throughput", "--brokers", "amqp", "--out", out], { choices });
  expect(outcome).toMatchObject({ code: 1, err: "BROKER_START_FAILED: No RabbitMQ here.\n" });
});
