import { expect, test } from "vitest";
import { configurations } from "../../src/drain/configuration.ts";
import { parseDrainOptions } from "../../src/drain/options.ts";
import { bench } from "../harness.ts";

test("the defaults are the published run at a fiftieth of its time, every design", () => {
  const options = parseDrainOptions([]);
  expect(options).toEqual({
    help: false,
    brokers: undefined,
    configs: ["inline", 2, 4, 8, 32],
    dispatch: "both",
    keyDist: "even",
    workload: {
      messages: 1000,
      keys: 100,
      keyDistribution: { kind: "even" },
      handler: [250, 1000],
      scale: 0.02,
      seed: 1,
    },
    window: 255,
    out: undefined,
  });
});

test("every option is read", () => {
  const options = parseDrainOptions(
    "--brokers all --configs 8,inline --dispatch hashed --messages 50 --keys 5 --key-dist zipf:1.1 --handler 5..9 --full --window 16 --seed 7 --out here".split(
      " ",
    ),
  );
  expect(options).toEqual({
    help: false,
    brokers: ["memory", "mqtt", "amqp", "kafka", "solace"],
    configs: [8, "inline"],
    dispatch: "hashed",
    keyDist: "zipf:1.1",
    workload: {
      messages: 50,
      keys: 5,
      keyDistribution: { kind: "zipf", exponent: 1.1 },
      handler: [5, 9],
      scale: 1,
      seed: 7,
    },
    window: 16,
    out: "here",
  });
});

test("inline runs first, and each number of lanes with every dispatch", () => {
  expect(configurations([8, "inline", 2], "both")).toEqual([
    { dispatch: "inline", lanes: 1 },
    { dispatch: "hashed", lanes: 8 },
    { dispatch: "keyed", lanes: 8 },
    { dispatch: "hashed", lanes: 2 },
    { dispatch: "keyed", lanes: 2 },
  ]);
  expect(configurations([4], "keyed")).toEqual([{ dispatch: "keyed", lanes: 4 }]);
});

const refused: [string, RegExp][] = [
  [
    "--brokers rabbit",
    /`--brokers` to be "all" or names of memory, mqtt, amqp, kafka, solace.*got "rabbit"/,
  ],
  ["--brokers memory,memory", /`--brokers` to be without repetition/],
  ["--brokers memory,all", /`--brokers`/],
  ["--configs 2,many", /`--configs` to be `inline` and numbers of lanes.*got "2,many"/],
  ["--configs 0", /lanes\)` to be a whole number from 1 to 4096, got "0"/],
  ["--configs 2,2", /`--configs` to be without repetition/],
  ["--configs ,", /`--configs`/],
  ["--dispatch random", /`--dispatch` to be keyed, hashed, both, got "random"/],
  ["--configs inline --dispatch hashed", /`--dispatch` to be left out.*add a number of lanes/],
  ["--messages 0", /`--messages` to be a whole number from 1/],
  ["--messages 1e3", /`--messages` .*got "1e3"/],
  ["--keys 11 --messages 10", /`--keys` to be at most the number of messages, 10, got "11"/],
  ["--key-dist odd", /`--key-dist` to be even, uniform, zipf:S or clustered:N/],
  ["--key-dist even:2", /`--key-dist`/],
  ["--key-dist zipf", /`--key-dist`/],
  ["--key-dist zipf:-1", /`--key-dist zipf:S` to be a number above 0/],
  ["--key-dist clustered:1.5", /`--key-dist clustered:N` to be a whole number/],
  ["--handler 9..5", /`--handler` to be MIN..MAX with MIN first.*5\.\.9/],
  ["--handler 5", /`--handler` to be MIN..MAX in whole ms/],
  ["--handler 0..5", /`--handler \(shortest\)` to be a whole number from 1/],
  ["--handler 1..5..9", /`--handler`/],
  ["--scale 0", /`--scale` to be a number above 0/],
  ["--scale -1", /`--scale` .*got "-1"/],
  ["--scale fast", /`--scale` .*got "fast"/],
  ["--full --scale 1", /`--scale` to be left out with --full/],
  ["--window 0", /`--window` to be a whole number from 1 to 65535/],
  ["--seed -1", /`--seed`/],
  ["--out=", /`--out` to be a folder/],
];

test.each(refused)("%s is refused with exit code 2 and no stack", async (line, message) => {
  const outcome = await bench(["drain", ...line.split(" ")]);
  expect(outcome.code).toBe(2);
  expect(outcome.err).toMatch(message);
  expect(outcome.err).toMatch(/^INVALID_OPTION: /);
  expect(outcome.err).not.toContain("    at ");
  expect(outcome.out).toBe("");
});
