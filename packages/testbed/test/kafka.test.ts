import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { availability, type RunningBroker, startBroker } from "@lab/testbed";
import { Kafka, type KafkaConfig } from "kafkajs";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { urlOfBrokers } from "../src/kinds/kafka/environment.ts";
import { missingJars } from "../src/kinds/kafka/jars.ts";
import { kafkaConfig } from "../src/rigs/kafka.ts";
import { commandLine, script } from "./command-line.ts";
import { privateFolder } from "./support.ts";

const { LAB_REQUIRE_BROKERS } = process.env;

/** Without it, the tests that need it are skipped, unless every broker is required. */
const withKafka = LAB_REQUIRE_BROKERS === "1" || missingJars() === undefined;

if (!withKafka) {
  console.warn("Skipped: tests of a native Apache Kafka: npm run brokers -- install kafka");
}

afterEach(() => void vi.unstubAllEnvs());

/** An admin client that ends with the test. */
async function adminOf(at: Pick<RunningBroker, "url" | "ca">, changes: Partial<KafkaConfig> = {}) {
  const admin = new Kafka({ ...kafkaConfig(at), ...changes }).admin();
  onTestFinished(() => admin.disconnect());
  await admin.connect();
  return admin;
}

/** Host and port of the only broker, as a client is told. */
async function advertised(at: Pick<RunningBroker, "url" | "ca">): Promise<string> {
  const { brokers } = await (await adminOf(at)).describeCluster();
  return `${brokers[0]?.host}:${brokers[0]?.port}`;
}

/** A Java virtual machine or two for each test. */
const timeout = 120_000;

describe.runIf(withKafka)("a native Apache Kafka", { timeout }, () => {
  test("tells clients of the proxy to come back through the proxy, and others not to", async () => {
    await using broker = await startBroker("kafka", { how: "native" });
    expect(broker).toMatchObject({ product: "Apache Kafka", version: "4.1.2", real: true });
    expect(await advertised(broker)).toBe(new URL(broker.url).host);
    const direct = { url: broker.directUrl };
    expect(await advertised(direct)).toBe(new URL(broker.directUrl).host);
    expect(broker.directUrl).not.toBe(broker.url);

    const [through, beside] = [await adminOf(broker), await adminOf(direct)];
    broker.pause();
    let answered = false;
    const asked = through.listTopics().then((topics) => {
      answered = true;
      return topics;
    });
    expect(await beside.listTopics()).toEqual([]);
    expect(answered).toBe(false);
    broker.resume();
    expect(await asked).toEqual([]);
  });

  test("has its data after a kill -9, and is where its clients look for it", async () => {
    await using broker = await startBroker("kafka", { how: "native" });
    const kafka = new Kafka(kafkaConfig(broker));
    const producer = kafka.producer();
    onTestFinished(() => producer.disconnect());
    const admin = await adminOf(broker);
    await admin.createTopics({ topics: [{ topic: "kept" }] });
    await producer.connect();
    const messages = Array.from({ length: 1_000 }, (_, i) => ({ value: `${i}` }));
    await producer.send({ topic: "kept", messages });
    await broker.restart?.();
    expect(await admin.fetchTopicOffsets("kept")).toMatchObject([{ high: "1000" }]);
    await producer.send({ topic: "kept", messages });
    expect(await admin.fetchTopicOffsets("kept")).toMatchObject([{ high: "2000" }]);
  });

  test.each([
    ["SASL", { credentials: { username: "rig", password: 'q"u\\o$te ü' } }],
    ["TLS", { tls: true }],
    ["TLS and SASL", { tls: true, credentials: { username: "rig", password: "p" } }],
  ] as const)("%s", async (_, options) => {
    await using broker = await startBroker("kafka", { how: "native", ...options });
    expect(await advertised(broker)).toBe(new URL(broker.url).host);
    if (!("credentials" in options)) return;
    const url = broker.url.replace(/:[^:@/]*@/, ":wrong@");
    const refused = adminOf({ url, ca: broker.ca }, { retry: { retries: 0 } });
    await expect(refused).rejects.toThrow(/Authentication failed/);
  });

  test("one that was running already is used as it is, and cannot be cut: it advertises itself", async () => {
    await using started = await startBroker("kafka", { how: "native" });
    vi.stubEnv("KAFKA_BROKERS", new URL(started.directUrl).host);
    await using broker = await startBroker("kafka");
    expect(broker).toMatchObject({ how: "running", url: started.directUrl });
    await expect(broker.cut()).rejects.toMatchObject({ code: "INVALID_OPTION" });
    expect(() => broker.pause()).toThrow(/KAFKA_BROKERS/);
  });

  test("one that was running already with another password is refused", async () => {
    const credentials = { username: "rig", password: "right" };
    await using started = await startBroker("kafka", { how: "native", credentials });
    vi.stubEnv("KAFKA_BROKERS", new URL(started.directUrl).host);
    vi.stubEnv("KAFKA_USERNAME", "rig");
    vi.stubEnv("KAFKA_PASSWORD", "wr0ng");
    const refused = startBroker("kafka");
    await expect(refused).rejects.toMatchObject({
      code: "ACCESS_REFUSED",
      message: expect.not.stringContaining("wr0ng"),
    });
    vi.stubEnv("KAFKA_PASSWORD", "right");
    await using broker = await startBroker("kafka");
    expect(broker.how).toBe("running");
  });

  test("a user name that Kafka's configuration cannot have is refused", async () => {
    const credentials = { username: "a b", password: "p" };
    const refused = startBroker("kafka", { how: "native", credentials });
    await expect(refused).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });
});

test("without its jars it is not there, and install says what brings them", async () => {
  vi.stubEnv("BROKERS_DIR", privateFolder());
  vi.stubEnv("KAFKA_BROKERS", "");
  const { use, passedOver } = await availability("kafka", { how: "native" });
  expect(use).toBeUndefined();
  expect(passedOver[0]?.why).toMatch(/java is not installed|no jars of Kafka in/);
});

/** A machine with an `apt-get` that brings `java` and `mvn`; that one brings a jar. */
function machine() {
  const bin = privateFolder();
  const log = join(bin, "log");
  script(
    bin,
    "stand-in",
    `echo "$0 $*" >> ${log}; for last; do :; done; /bin/mkdir -p "\${last#*=}"`,
  );
  script(
    bin,
    "apt-get",
    `echo "apt-get $*" >> ${log}; [ "$1" = update ] || { /bin/cp ${bin}/stand-in ${bin}/java; /bin/cp ${bin}/stand-in ${bin}/mvn; }`,
  );
  for (const name of ["rm", "mv"]) script(bin, name, `/bin/${name} "$@"`);
  const commands = (): string => (existsSync(log) ? readFileSync(log, "utf8") : "");
  return { commands, ...commandLine({ PATH: bin }) };
}

test.runIf(process.getuid?.() === 0)(
  "install brings Java and Maven where they are missing, then the jars; again it does nothing",
  async () => {
    const { run, commands, brokers } = machine();
    const dry = await run(["install", "kafka", "--dry-run"]);
    expect(dry.stdout).toMatch(/openjdk-17-jre-headless maven.*\n.*rm .*\n.*mvn .*\n.*mv /);
    expect(commands()).toBe("");

    const { code, stdout } = await run(["install", "kafka"]);
    expect(code).toBe(0);
    expect(commands()).toMatch(
      /apt-get update\napt-get install .*maven.*\n.*mvn .*copy-dependencies/,
    );
    expect(stdout).toMatch(/kafka: Apache Kafka 4\.1\.2 is installed: .*java\n$/);
    expect(existsSync(join(brokers, "kafka-4.1.2"))).toBe(true);

    const before = commands();
    const again = await run(["install", "kafka"]);
    expect(again.stdout).toMatch(/^kafka: Apache Kafka 4\.1\.2 is installed: \S+\n$/);
    expect(commands()).toBe(before);
  },
);

describe("KAFKA_BROKERS", () => {
  const variables = ["KAFKA_TLS", "KAFKA_USERNAME", "KAFKA_PASSWORD", "KAFKA_SASL_MECHANISM"];

  test.each([
    ["kafkas://u:p@host:1", {}, "kafkas://u:p@host:1"],
    ["host:9092", {}, "kafka://host:9092"],
    ["a:1, b:2,c:3", {}, "kafka://a:1?brokers=b%3A2%2Cc%3A3"],
    ["host:1", { KAFKA_TLS: "1" }, "kafkas://host:1"],
    [
      "host:1",
      { KAFKA_USERNAME: "u", KAFKA_PASSWORD: "p@/", KAFKA_SASL_MECHANISM: "scram-sha-256" },
      "kafka://u:p%40%2F@host:1?mechanism=scram-sha-256",
    ],
  ])("%s with %j", (value, environment, url) => {
    for (const name of variables) vi.stubEnv(name, undefined);
    for (const [name, text] of Object.entries(environment)) vi.stubEnv(name, text);
    expect(urlOfBrokers(value)).toBe(url);
    const { brokers, ssl, sasl } = kafkaConfig({ url });
    expect(brokers).toHaveLength(value.split(",").length);
    expect(ssl).toBe(url.startsWith("kafkas") ? true : undefined);
    if (url.includes("scram")) {
      expect(sasl).toEqual({ mechanism: "scram-sha-256", username: "u", password: "p@/" });
    }
  });
});
