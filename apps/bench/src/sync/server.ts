import { answerRequests } from "../worker-process.ts";
import { timeOf, topicsOf } from "./change.ts";
import { aedesHost } from "./hosts/aedes.ts";
import type { Heard, Host } from "./hosts/host.ts";
import { labHost } from "./hosts/lab.ts";
import { mosquittoHost } from "./hosts/mosquitto.ts";
import type { Prepare, Prepared, Request, Run, SideResult } from "./protocol.ts";
import { Recorder } from "./recorder.ts";
import { sendChanges } from "./sender.ts";

/** The process of the server: its values are mirrored by the client, and it mirrors the client's. */
let recorder: Recorder | undefined;
const mirror = new Map<string, number>();
const heard: Heard = (topic, body) => {
  const time = timeOf(body);
  recorder?.received(time, () => mirror.set(topic, time));
};

let host: Host | undefined;
let prepared: Prepare | undefined;

answerRequests(async (request: Request): Promise<Prepared | SideResult> => {
  if (request.kind === "run") return run(request);
  prepared = request;
  host = await open(request);
  return { url: host.url };
});

function open({ broker, url }: Prepare): Promise<Host> {
  if (broker === "lab") return labHost(heard);
  if (broker === "aedes") return aedesHost(heard);
  if (url === undefined) throw new Error("The server needs the URL of mosquitto.");
  return mosquittoHost(url, heard);
}

async function run({ rate, changes, from, measureFrom, until }: Run): Promise<SideResult> {
  if (host === undefined || prepared === undefined) throw new Error("It was not prepared.");
  const { publish } = host;
  const { batched, subscriptions } = prepared;
  const topics = changes ? topicsOf("server", subscriptions) : [];
  recorder = new Recorder(measureFrom, until);
  const sent = await sendChanges({ topics, rate, batched, from, until, send: publish });
  recorder.stop();
  return recorder.result(sent);
}
