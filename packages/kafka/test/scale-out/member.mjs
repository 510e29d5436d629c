// One member of the group, a process of its own so that it can be killed. It writes down what its handler does, with
// synchronous writes: what a killed process has written stays written. Runs the built packages.
import { openSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { consume } from "@lab/core";
import { kafkaSubscriber } from "@lab/kafka";
import { Kafka, logLevel } from "kafkajs";

const { brokers, topic, groupId, name, log, window, lanes, longest } = JSON.parse(process.argv[2]);

const file = openSync(log, "a");
const entry = Buffer.alloc(17);

/** What happened to which message, and when by the clock that all processes of a machine share. */
function note(what, key, seq) {
  entry.writeUInt8(what, 0);
  entry.writeUInt32LE(key, 1);
  entry.writeUInt32LE(seq, 5);
  entry.writeBigUInt64LE(process.hrtime.bigint(), 9);
  writeSync(file, entry);
}

const consumer = await consume({
  subscriber: kafkaSubscriber({
    kafka: new Kafka({ clientId: name, brokers, logLevel: logLevel.NOTHING }),
    groupId,
    consumer: { sessionTimeout: 3_000, heartbeatInterval: 300, rebalanceTimeout: 10_000 },
  }),
  source: topic,
  window,
  lanes,
  async handler(body) {
    const key = body.readUInt32LE(0);
    const seq = body.readUInt32LE(4);
    note(0, key, seq);
    const ms = Math.random() * longest;
    if (ms > 1) await sleep(ms);
    note(1, key, seq);
  },
});

consumer.closed.catch((error) => {
  console.error(error);
  process.exit(1);
});
process.once("SIGTERM", () => consumer.drain().then(() => process.exit(0)));
process.send("joined");
