import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import type { MqttBrokerOptions } from "@lab/mqtt-broker";
import { describe, expect, onTestFinished, test } from "vitest";
import { events, type StartedBroker, start, until } from "../support/broker.ts";
import { certificate } from "../support/certificate.ts";

const found = (() => {
  try {
    execFileSync("mosquitto_sub", ["--help"], { stdio: "ignore" });
    return true;
  } catch (error) {
    return (error as { code?: string }).code !== "ENOENT"; // --help exits with 1.
  }
})();
const required = process.env.LAB_REQUIRE_BROKERS === "1";
if (!found && !required) {
  console.warn(
    "Skipped: tests with mosquitto_pub and mosquitto_sub, which are missing: npm run brokers -- install mqtt",
  );
}

interface Line {
  readonly topic: string;
  readonly payload: string;
  readonly qos: number;
  readonly retain: number;
  readonly properties?: Record<string, unknown>;
}

class Command {
  readonly process: ChildProcess;
  output = "";
  errors = "";
  readonly ended: Promise<number>;

  constructor(name: string, args: readonly string[]) {
    this.process = spawn(name, args, { stdio: ["ignore", "pipe", "pipe"] });
    this.process.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.output += text;
    });
    this.process.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.errors += text;
    });
    this.ended = once(this.process, "close").then(([code]) => code as number);
    onTestFinished(() => {
      this.process.kill("SIGKILL");
    });
  }

  get lines(): Line[] {
    const whole = this.output.slice(0, this.output.lastIndexOf("\n") + 1);
    return whole
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line));
  }
}

function at(port: number, version: 4 | 5): string[] {
  return ["-h", "127.0.0.1", "-p", `${port}`, "-V", version === 4 ? "mqttv311" : "mqttv5"];
}

/** Resolves when the broker has granted the subscriptions. */
async function subscribed(
  { broker, port }: StartedBroker,
  version: 4 | 5,
  ...args: string[]
): Promise<Command> {
  const subscriptions = events(broker, "subscribe");
  const command = new Command("mosquitto_sub", [...at(port, version), "-F", "%j", ...args]);
  await until(() => subscriptions.length > 0, "the subscription");
  return command;
}

async function published(
  { port }: StartedBroker,
  version: 4 | 5,
  ...args: string[]
): Promise<Command> {
  const command = new Command("mosquitto_pub", [...at(port, version), ...args]);
  await command.ended;
  return command;
}

/** A subscriber, its arguments to resume, and its end without a word. */
const lasting = (version: 4 | 5, id: string): string[] =>
  version === 5 ? ["-c", "-x", "60", "-i", id] : ["-c", "-i", id];

describe.skipIf(!found && !required)("mosquitto_pub and mosquitto_sub", () => {
  describe.each([4, 5] as const)("version %i", (version) => {
    test.each([0, 1, 2] as const)("QoS %i, in order", async (qos) => {
      const started = await start();
      const sub = await subscribed(started, version, "-t", "a/+", "-q", "2", "-C", "100");
      await published(started, version, "-t", "a/b", "-q", `${qos}`, "-m", "x", "--repeat", "50");
      await started.broker.inject(
        Array.from({ length: 50 }, (_, i) => ({ topic: "a/c", payload: `${i}`, qos })),
      );
      expect(await sub.ended).toBe(0);
      expect(sub.lines.map(({ topic, payload, qos }) => `${topic} ${payload} ${qos}`)).toEqual([
        ...Array.from({ length: 50 }, () => `a/b x ${qos}`),
        ...Array.from({ length: 50 }, (_, i) => `a/c ${i} ${qos}`),
      ]);
    });

    test("retained messages, and their removal", async () => {
      const started = await start();
      await published(started, version, "-t", "a/b", "-r", "-m", "kept", "-q", "1");
      const sub = await subscribed(started, version, "-t", "#", "-C", "1");
      await sub.ended;
      expect(sub.lines).toMatchObject([{ topic: "a/b", payload: "kept", retain: 1 }]);
      await published(started, version, "-t", "a/b", "-r", "-n");
      expect(started.broker.stats().retainedMessages).toBe(0);
    });

    test("a will", async () => {
      const started = await start();
      const sub = await subscribed(started, version, "-t", "will", "-C", "1");
      const will = ["--will-topic", "will", "--will-payload", "gone", "--will-qos", "1"];
      const dying = await subscribed(started, version, "-t", "x", ...will);
      dying.process.kill("SIGKILL");
      await sub.ended;
      expect(sub.lines[0]?.payload).toBe("gone");
    });

    test("wildcards and $share", async () => {
      const started = await start();
      const members = [
        await subscribed(started, version, "-t", "$share/g/a/#", "-q", "1"),
        await subscribed(started, version, "-t", "$share/g/a/#", "-q", "1"),
      ];
      const all = await subscribed(started, version, "-t", "+/b", "-q", "1");
      for (let i = 0; i < 3; i++) {
        await published(started, version, "-t", "a/b", "-m", `${i}`, "-q", "1", "--repeat", "2");
      }
      await until(() => all.lines.length === 6);
      await until(() => members.every(({ lines }) => lines.length === 3));
    });

    test("a session keeps what comes while its client is away", async () => {
      const started = await start();
      const first = await subscribed(
        started,
        version,
        "-t",
        "t",
        "-q",
        "2",
        ...lasting(version, "s"),
      );
      first.process.kill("SIGKILL");
      await until(() => started.broker.stats().clients === 0);
      await published(started, version, "-t", "t", "-q", "2", "-m", "kept", "--repeat", "3");
      const again = new Command("mosquitto_sub", [
        ...at(started.port, version),
        "-F",
        "%j",
        ...["-t", "t", "-q", "2", "-C", "3"],
        ...lasting(version, "s"),
      ]);
      expect(await again.ended).toBe(0);
      expect(again.lines.map(({ payload }) => payload)).toEqual(["kept", "kept", "kept"]);
    });

    test("what a stopped subscriber had not acknowledged comes again", async () => {
      const started = await start();
      const first = await subscribed(
        started,
        version,
        "-t",
        "t",
        "-q",
        "1",
        ...lasting(version, "s"),
      );
      first.process.kill("SIGSTOP");
      await started.broker.inject(
        Array.from({ length: 10 }, (_, i) => ({ topic: "t", payload: `${i}`, qos: 1 })),
      );
      first.process.kill("SIGKILL");
      await until(() => started.broker.stats().clients === 0);
      const args = ["-F", "%j", "-t", "t", "-q", "1", "-C", "10", ...lasting(version, "s")];
      const again = new Command("mosquitto_sub", [...at(started.port, version), ...args]);
      expect(await again.ended).toBe(0);
      expect(again.lines.map(({ payload }) => Number(payload))).toEqual([
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
      ]);
    });

    test("a wrong password, and a subscription that is not allowed", async () => {
      const options: MqttBrokerOptions = {
        authenticate: ({ password }) => password?.toString() === "right",
        authorizeSubscribe: (_client, { filter }) => filter !== "secret",
      };
      const { port } = await start(options);
      const wrong = new Command("mosquitto_sub", [
        ...at(port, version),
        "-t",
        "t",
        "-u",
        "u",
        "-P",
        "wrong",
      ]);
      expect(await wrong.ended).not.toBe(0);
      expect(wrong.errors + wrong.output).toMatch(/not authorised|bad user/i);
      const denied = new Command("mosquitto_sub", [
        ...at(port, version),
        ...["-t", "secret", "-u", "u", "-P", "right", "-W", "5"],
      ]);
      await denied.ended;
      expect(denied.errors + denied.output).toMatch(/denied|rejected/i);
    });

    test("keep-alive, and its end", async () => {
      const started = await start();
      const disconnects = events(started.broker, "disconnect");
      // mosquitto takes 5 s at least.
      const sub = await subscribed(started, version, "-t", "t", "-k", "5", "-i", "k");
      sub.process.kill("SIGSTOP");
      const deadline = Date.now() + 20_000;
      while (disconnects.length === 0 && Date.now() < deadline) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      expect(disconnects[0]).toMatchObject([{ clientId: "k" }, { reasonCode: 0x8d }]);
    });

    test("takeover and disconnection by the broker", async () => {
      const started = await start();
      const disconnects = events(started.broker, "disconnect");
      await subscribed(started, version, "-t", "t", "-i", "same");
      await subscribed(started, version, "-t", "t", "-i", "same");
      expect(disconnects[0]?.[1].reasonCode).toBe(0x8e);
      const other = await subscribed(started, version, "-t", "t", "-i", "other", "-d");
      expect(started.broker.disconnect("other")).toBe(true);
      await until(() => version === 4 || /152/.test(other.output + other.errors));
    });

    test("TLS", async () => {
      const started = await start({}, { tls: { cert, key } });
      const sub = await subscribed(started, version, "-t", "t", "-C", "1", "--cafile", certFile);
      await published(
        started,
        version,
        "-t",
        "t",
        "-m",
        "secretly",
        "-q",
        "1",
        "--cafile",
        certFile,
      );
      await sub.ended;
      expect(sub.lines[0]?.payload).toBe("secretly");
    });
  });

  const { cert, key, certFile } = certificate();

  test("will delay, session expiry", async () => {
    const started = await start();
    const sub = await subscribed(started, 5, "-t", "will", "-C", "1");
    const will = [
      "--will-topic",
      "will",
      "--will-payload",
      "gone",
      "-D",
      "will",
      "will-delay-interval",
      "1",
    ];
    const dying = await subscribed(started, 5, "-t", "x", "-c", "-x", "2", "-i", "d", ...will);
    dying.process.kill("SIGKILL");
    await until(() => started.broker.stats().clients === 1);
    const gone = performance.now();
    await sub.ended;
    expect(performance.now() - gone).toBeGreaterThan(900);
    await until(() => started.broker.stats().sessions === 0, "the end of the session");
  });

  test("message expiry", async () => {
    const started = await start();
    const away = await subscribed(started, 5, "-t", "t", "-q", "1", ...lasting(5, "s"));
    away.process.kill("SIGKILL");
    await until(() => started.broker.stats().clients === 0);
    for (const [text, seconds] of Object.entries({ short: "1", long: "60" })) {
      const expiry = ["-D", "publish", "message-expiry-interval", seconds];
      await published(started, 5, "-t", "t", "-q", "1", "-m", text, ...expiry);
    }
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    const args = ["-F", "%p %E", "-t", "t", "-q", "1", "-C", "1", ...lasting(5, "s")];
    const again = new Command("mosquitto_sub", [...at(started.port, 5), ...args]);
    await again.ended;
    expect(again.output).toMatch(/^long 5\d\n$/);
  });

  test("properties, topic alias, subscription identifier, receive maximum, maximum packet size", async () => {
    const started = await start();
    const sub = await subscribed(
      started,
      5,
      ...["-t", "t", "-q", "2", "-C", "20"],
      ...["-D", "subscribe", "subscription-identifier", "42"],
      ...["-D", "connect", "receive-maximum", "2"],
      ...["-D", "connect", "maximum-packet-size", "300"],
      ...["-D", "connect", "topic-alias-maximum", "0"],
    );
    await published(started, 5, "-t", "t", "-q", "2", "-m", "x".repeat(400));
    await published(
      started,
      5,
      ...["-t", "t", "-q", "2", "-m", "fits", "--repeat", "20"],
      ...["-D", "publish", "content-type", "text/plain"],
      ...["-D", "publish", "response-topic", "r"],
      ...["-D", "publish", "correlation-data", "c"],
      ...["-D", "publish", "user-property", "a", "b"],
      ...["-D", "publish", "topic-alias", "3"],
    );
    expect(await sub.ended).toBe(0);
    expect(sub.lines).toHaveLength(20);
    for (const { payload, properties } of sub.lines) {
      expect(payload).toBe("fits");
      expect(JSON.stringify(properties)).toMatch(/text\/plain.*"r".*"a":"b"/);
    }
  });

  test("retain handling, retain as published, no local by the other client", async () => {
    const started = await start();
    await published(started, 5, "-t", "t", "-r", "-m", "kept", "-q", "1");
    const fresh = await subscribed(started, 5, "-t", "t", "-R", "-C", "1");
    const published1 = await subscribed(started, 5, "-t", "t", "--retain-as-published", "-C", "2");
    await published(started, 5, "-t", "t", "-r", "-m", "new", "-q", "1");
    await fresh.ended;
    await published1.ended;
    expect(fresh.lines.map(({ payload }) => payload)).toEqual(["new"]);
    expect(published1.lines.map(({ payload, retain }) => [payload, retain])).toEqual([
      ["kept", 1],
      ["new", 1],
    ]);
  });

  test("a publish that is not allowed is told", async () => {
    const started = await start({ authorizePublish: () => false });
    const denied = await published(started, 5, "-t", "t", "-m", "x", "-q", "1", "-d");
    expect(denied.output + denied.errors).toMatch(/135|not authorized/i);
  });
});
