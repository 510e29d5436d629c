import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startBroker } from "@lab/testbed";
import { kafkaConfig } from "@lab/testbed/rigs";
import { Kafka } from "kafkajs";
import { expect, onTestFinished, test } from "vitest";
import { Group } from "./scale-out/group.ts";
import { judge } from "./scale-out/judge.ts";
import { lag, settled, watchCommits } from "./scale-out/offsets.ts";
import { Work } from "./scale-out/work.ts";
import { withKafka } from "./support/kafka.ts";
import { createTopic } from "./support/topics.ts";

/** `npm run soak -w @lab/kafka` */
const soak = process.env.KAFKA_SOAK === "1";

const round = ["kill", "join", "leave", "join"] as const;
const faults = soak ? [...round, ...round, ...round] : round;
/** At least. */
const messages = soak ? 250_000 : 20_000;
const lanes = soak ? 32 : 8;
const longest = soak ? 10 : 20;
const window = 200;
const limit = soak ? 600_000 : 120_000;
const topic = "scale-out";
const groupId = "scale-out";

test.runIf(withKafka)(
  "four processes in one group, killed, joining and leaving: nothing is lost, no key is out of order, little is repeated",
  { timeout: limit },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "kafka-scale-out-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    await using broker = await startBroker("kafka", { how: "native" });
    const config = kafkaConfig(broker);
    const kafka = new Kafka(config);
    const admin = kafka.admin();
    await admin.connect();
    onTestFinished(() => admin.disconnect());
    await createTopic(kafka, { topic, numPartitions: 12 });

    const brokers = config.brokers as string[];
    await using group = new Group({ brokers, topic, groupId, window, lanes, longest }, folder);
    await Promise.all([group.join(), group.join(), group.join(), group.join()]);
    const commits = watchCommits(admin, topic, groupId);
    const work = new Work({ kafka, topic, keys: 1_000, handled: () => group.handled() });

    const times: bigint[] = [];
    for (const fault of faults) {
      const before = group.handled();
      await until("work to go on", () => group.handled() > before + 10 * window);
      times.push(process.hrtime.bigint());
      await group[fault]();
      await settled(admin, groupId, group.size);
    }
    const published = await work.finish(messages);
    await until("all messages to be handled", () => group.handled() >= published);
    await until("all messages to be handled", () => judge(group.logs, []).handled >= published);
    while (group.size > 0) await group.leave();

    const { handled, inversions, overlaps, repeats } = judge(group.logs, times);
    console.info(
      `${published} messages; repeated: ${faults.map((fault, i) => `${fault} ${repeats[i]}`)}; overlaps: ${overlaps}`,
    );
    expect(group.deserters).toEqual([]);
    expect(handled).toBe(published);
    expect(inversions).toEqual([]);
    for (const number of repeats) expect(number).toBeLessThanOrEqual(2 * window);
    expect(await commits.stop()).toEqual([]);
    expect(await lag(admin, topic, groupId)).toBe(0);
  },
);

async function until(what: string, condition: () => boolean): Promise<void> {
  const deadline = performance.now() + limit / 2;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`Waited ${limit / 2} ms for ${what}`);
    await sleep(100);
  }
}
