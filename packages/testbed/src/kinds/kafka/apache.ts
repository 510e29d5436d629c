import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LabError } from "@lab/core";
import type { Credentials, StartOptions } from "../../broker.ts";
import { certificateIn } from "../../certificate.ts";
import { findCommand, run } from "../../command.ts";
import { freePort } from "../../free-port.ts";
import type { NativePlan, NativeSetup } from "../../kind.ts";
import { fetchJars, jarsFolder, kafkaVersion, missingJars } from "./jars.ts";

const java = "java";

/** Of any cluster: 16 bytes in base64. */
const clusterId = "bWVzc2FnaW5nLWxhYi1rZg";

const formatLimit = 60_000;

/** One small broker: boots in 4 s with 205 MB. */
const jvm = ["-Xms256m", "-Xmx768m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"];

/** The same in `docker/`. */
export const settings: readonly string[] = [
  "auto.create.topics.enable=false",
  "offsets.topic.num.partitions=1",
  "offsets.topic.replication.factor=1",
  "transaction.state.log.num.partitions=1",
  "transaction.state.log.replication.factor=1",
  "transaction.state.log.min.isr=1",
  "share.coordinator.state.topic.replication.factor=1",
  "share.coordinator.state.topic.min.isr=1",
  "group.initial.rebalance.delay.ms=0",
  "group.min.session.timeout.ms=1000",
];

/** What an idle developer's machine needs not have several of. */
const small: readonly string[] = [
  "num.network.threads=1",
  "num.io.threads=2",
  "log.cleaner.dedupe.buffer.size=16000000",
  "log.cleaner.backoff.ms=500",
  // One that was killed may come back only when the controller has given up the one before: after 9 s by default.
  "broker.session.timeout.ms=3000",
  "broker.heartbeat.interval.ms=500",
];

const log4j = `status=error
appender.console.type=Console
appender.console.name=console
appender.console.layout.type=PatternLayout
appender.console.layout.pattern=%d %p %c{1} %m%n
rootLogger.level=WARN
rootLogger.appenderRef.console.ref=console
logger.started.name=kafka.server.KafkaRaftServer
logger.started.level=INFO
`;

/** Apache Kafka as a single node, broker and controller in one. */
export const apacheKafka: NativeSetup = {
  product: "Apache Kafka",
  command: java,
  packages: ["openjdk-17-jre-headless", "maven", "openssl"],
  note: `Maven fetches the jars of Apache Kafka ${kafkaVersion} (43 MB) into ${jarsFolder()}. Nothing is started.`,
  missing: missingJars,
  fetch: fetchJars,
  version: async () => kafkaVersion,
  listening: /Kafka Server started/,
  prepare: async (folder, port, options, advertised) => {
    const [behindProxy, controller] = await Promise.all([freePort(), freePort()]);
    const properties = join(folder, "server.properties");
    const logging = join(folder, "log4j2.properties");
    const data = join(folder, "data");
    const security = await securityOf(folder, options);
    const lines = [
      ...listeners({ port, behindProxy, controller, advertised, protocol: security.protocol }),
      `log.dirs=${data}`,
      ...settings,
      ...small,
      ...security.lines,
      ...(options.config ?? []),
      "",
    ];
    await writeFile(properties, lines.join("\n"), { mode: 0o600 });
    await writeFile(logging, log4j);
    const args = (main: string, ...rest: string[]): string[] => [
      ...jvm,
      `-Dlog4j2.configurationFile=${logging}`,
      "-cp",
      `${jarsFolder()}/*`,
      main,
      ...rest,
    ];
    if (!existsSync(join(data, "meta.properties"))) {
      const format = args("kafka.tools.StorageTool", "format", "-t", clusterId, "-c", properties);
      await run(findCommand(java) ?? java, format, {
        timeout: formatLimit,
        signal: options.signal,
      });
    }
    const plan: NativePlan = {
      args: args("kafka.Kafka", properties),
      ports: [behindProxy, controller],
      behindProxy,
      ca: security.ca,
    };
    return plan;
  },
};

/**
 * Kafka tells clients of a listener where to connect to. So there is one listener for those that come through the
 * proxy, which sends them to the proxy, and one for those that do not.
 */
function listeners(at: {
  readonly port: number;
  readonly behindProxy: number;
  readonly controller: number;
  readonly advertised: number;
  readonly protocol: string;
}): string[] {
  const direct = `DIRECT://127.0.0.1:${at.port}`;
  const { behindProxy, controller, advertised, protocol } = at;
  return [
    "process.roles=broker,controller",
    "node.id=1",
    `controller.quorum.voters=1@127.0.0.1:${controller}`,
    "controller.listener.names=CONTROLLER",
    `listeners=${direct},PROXIED://127.0.0.1:${behindProxy},CONTROLLER://127.0.0.1:${controller}`,
    `advertised.listeners=${direct},PROXIED://127.0.0.1:${advertised}`,
    `listener.security.protocol.map=CONTROLLER:PLAINTEXT,DIRECT:${protocol},PROXIED:${protocol}`,
    "inter.broker.listener.name=DIRECT",
  ];
}

async function securityOf(folder: string, { tls, credentials }: StartOptions) {
  const lines: string[] = [];
  let ca: string | undefined;
  if (tls) {
    const { certFile, keyFile, ca: own } = await certificateIn(folder);
    const keystore = join(folder, "keystore.pem");
    await writeFile(keystore, `${await readFile(keyFile, "utf8")}${own}`, { mode: 0o600 });
    lines.push(
      "ssl.keystore.type=PEM",
      `ssl.keystore.location=${keystore}`,
      "ssl.truststore.type=PEM",
      `ssl.truststore.location=${certFile}`,
    );
    ca = own;
  }
  if (credentials) lines.push(...saslPlain(credentials));
  const protocol = `${credentials ? "SASL_" : ""}${tls ? "SSL" : "PLAINTEXT"}`;
  return { lines, ca, protocol };
}

/** One user, who is the broker itself as well. */
function saslPlain({ username, password }: Credentials): string[] {
  if (!/^[\w.$-]+$/.test(username)) {
    const expected = "letters, digits, and . _ $ - only";
    const text = `Expected \`credentials.username\` for Kafka to be ${expected}, got "${username}".`;
    throw new LabError("INVALID_OPTION", text);
  }
  const secret = `"${password.replaceAll(/["\\]/g, "\\$&")}"`;
  const login =
    "org.apache.kafka.common.security.plain.PlainLoginModule required " +
    `username="${username}" password=${secret} user_${username}=${secret};`;
  return [
    "sasl.enabled.mechanisms=PLAIN",
    "sasl.mechanism.inter.broker.protocol=PLAIN",
    ...["direct", "proxied"].map(
      (listener) => `listener.name.${listener}.plain.sasl.jaas.config=${property(login)}`,
    ),
  ];
}

/** As a properties file has it. */
function property(value: string): string {
  return value
    .replaceAll("\\", "\\\\")
    .replaceAll(
      /[^\x20-\x7e]/g,
      (other) => `\\u${other.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
}
