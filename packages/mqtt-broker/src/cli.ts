#!/usr/bin/env node
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { LabError } from "@lab/core";
import { toError } from "@lab/core/adapter";
import { createMqttBroker } from "./broker.ts";
import type { ListenOptions, MqttBroker } from "./types.ts";

const help = `Usage: lab-mqtt-broker [options]

An MQTT 3.1.1 and 5 broker for development: everybody is let in, everything is in memory and ends with it.

  --port <port>     TCP port, 0 for any that is free. Default: 1883
  --ws-port <port>  Listens for WebSockets on this port too.
  --host <host>     Address to listen on. Default: 127.0.0.1, this machine only
  --cert <file>     PEM certificate, and --key <file> its key: TLS on both ports.
  --verbose         Prints who comes and goes, subscriptions, and what is dropped.
  --help`;

const usageError = 2;

async function main(args: readonly string[]): Promise<void> {
  const values = parse(args);
  if (values.help) {
    console.log(help);
    return;
  }
  const { host } = values;
  const common: ListenOptions = { ...(host !== undefined && { host }), ...tlsOf(values) };
  const port = portOf("--port", values.port);
  const webSocketPort = values["ws-port"];
  const ended = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  await using broker = createMqttBroker();
  if (values.verbose) tell(broker);
  const listeners = [await broker.listen({ ...common, port })];
  if (webSocketPort !== undefined) {
    const ws = { port: portOf("--ws-port", webSocketPort), webSocket: true };
    listeners.push(await broker.listen({ ...common, ...ws }));
  }
  for (const { url } of listeners) console.log(`Listening on ${url}`);
  await ended;
}

function parse(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        port: { type: "string", default: "1883" },
        "ws-port": { type: "string" },
        host: { type: "string" },
        cert: { type: "string" },
        key: { type: "string" },
        verbose: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    return values;
  } catch (error) {
    throw usage((error as Error).message);
  }
}

function portOf(name: string, text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw usage(`Expected \`${name}\` to be a port, 0 to 65535, got "${text}".`);
  }
  return Number(text);
}

function tlsOf({ cert, key }: { cert?: string | undefined; key?: string | undefined }) {
  if (cert === undefined && key === undefined) return {};
  if (cert === undefined || key === undefined) throw usage("`--cert` and `--key` go together.");
  try {
    return { tls: { cert: readFileSync(cert), key: readFileSync(key) } };
  } catch (error) {
    throw usage(`Cannot read the certificate or its key: ${(error as Error).message}.`);
  }
}

function tell(broker: MqttBroker): void {
  broker.on("connect", ({ clientId, protocolVersion, remoteAddress }) => {
    const version = protocolVersion === 4 ? "3.1.1" : "5";
    console.log(`${clientId} connected from ${remoteAddress ?? "somewhere"}, MQTT ${version}`);
  });
  broker.on("disconnect", ({ clientId }, { reason }) => console.log(`${clientId}: ${reason}`));
  broker.on("subscribe", ({ clientId }, subscriptions) => {
    for (const { filter, qos } of subscriptions) {
      console.log(`${clientId} subscribed to ${filter}, QoS ${qos}`);
    }
  });
  broker.on("drop", (clientId, { reason, messages }) => {
    console.log(`${clientId}: ${messages} dropped (${reason})`);
  });
}

function usage(problem: string): LabError {
  return new LabError("INVALID_OPTION", `${problem} See \`lab-mqtt-broker --help\`.`);
}

try {
  await main(process.argv.slice(2));
} catch (thrown) {
  if (!(thrown instanceof LabError)) throw toError(thrown);
  console.error(`${thrown.code}: ${thrown.message}`);
  process.exitCode = thrown.code === "INVALID_OPTION" ? usageError : 1;
}
