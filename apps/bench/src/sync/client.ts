import type { Publisher, Sink } from "@lab/core";
import { mqttPublisher, mqttSubscriber } from "@lab/mqtt";
import mqtt, { type IClientOptions, type MqttClient } from "mqtt";
import { answerRequests } from "../worker-process.ts";
import { timeOf, topicsOf } from "./change.ts";
import type { Prepare, Prepared, Request, Run, SideResult } from "./protocol.ts";
import { publishAll } from "./publish-all.ts";
import { Recorder } from "./recorder.ts";
import { sendChanges } from "./sender.ts";

/** Topics of one SUBSCRIBE. */
const atOnce = 1_000;

/** Most messages unacknowledged at once, in each direction. */
const window = 4_000;

/** The process of the client: subscribed to every value, its own included, which come back as echoes. */
let recorder: Recorder | undefined;
const mirror = new Map<string, number>();
let publisher: Publisher | undefined;
let prepared: Prepare | undefined;

/** Acknowledges what it has mirrored; its own values are only acknowledged. */
const sink: Sink = {
  deliver(delivery) {
    const { destination, body } = delivery.message;
    if (destination.startsWith("sync/server/")) {
      const time = timeOf(body);
      recorder?.received(time, () => mirror.set(destination, time));
    }
    delivery.settle("ack");
  },
  sessionEnded() {},
  connection() {},
  failed(error) {
    throw error;
  },
};

answerRequests(
  (request: Request): Promise<Prepared | SideResult> =>
    request.kind === "run" ? run(request) : prepare(request),
);

async function prepare(request: Prepare): Promise<Prepared> {
  const { url, subscriptions, broker, echo } = request;
  if (url === undefined) throw new Error("The client needs the URL of the broker.");
  prepared = request;
  const protocolVersion = broker === "aedes" ? 4 : 5;
  // mqtt.js sets a timer anew for each packet otherwise.
  const options: IClientOptions = { reschedulePings: false };
  const own = echo ? topicsOf("client", subscriptions) : [];
  const topics = [...topicsOf("server", subscriptions), ...own];
  const clients: MqttClient[] = [];
  const subscriber = mqttSubscriber({
    protocolVersion,
    persistent: false,
    connect: (defaults) => {
      const made = mqtt.connect(url, { ...defaults, ...options });
      clients.push(made);
      return made;
    },
  });
  await subscriber.subscribe(topics[0] ?? "", { window }, sink);
  for (let from = 1; from < topics.length; from += atOnce) {
    await clients[0]?.subscribeAsync(topics.slice(from, from + atOnce), { qos: 1 });
  }
  publisher = mqttPublisher({
    protocolVersion,
    retain: true,
    window,
    connect: (defaults) => mqtt.connect(url, { ...defaults, ...options }),
  });
  return { url };
}

async function run({ rate, changes, from, measureFrom, until }: Run): Promise<SideResult> {
  if (publisher === undefined || prepared === undefined) throw new Error("It was not prepared.");
  const to = publisher;
  const { batched, subscriptions } = prepared;
  const topics = changes ? topicsOf("client", subscriptions) : [];
  recorder = new Recorder(measureFrom, until);
  const sent = await sendChanges({
    topics,
    rate,
    batched,
    from,
    until,
    send: (changes) => publishAll(to, changes),
  });
  recorder.stop();
  return recorder.result(sent);
}
