import { formatBytes, formatCount, formatFactor } from "../format.ts";
import type { Target } from "../target.ts";
import type { ThroughputReport, ThroughputRow } from "./report.ts";

/** What garbage may take before it is collected, however long the backlog is. */
const flatWithin = 64 * 1024 ** 2;

/** A backlog that shows whether memory grows with it. */
const longBacklog = 1_000_000;

/** What the adapters are held to, on the brokers that were measured. */
export function targetsOf({ rows }: ThroughputReport): Target[] {
  const find = (client: string, variant: string): ThroughputRow | undefined =>
    rows.find((row) => row.client?.startsWith(`${client}@`) === true && row.variant === variant);
  const ours = (beside: ThroughputRow, variant: string): ThroughputRow | undefined =>
    rows.find(
      (row) => row.client === null && row.broker === beside.broker && row.variant === variant,
    );
  const targets: Target[] = [];

  const autoAck = find("mqtt", "auto-ack");
  const onMqtt = autoAck && ours(autoAck, "consume");
  if (autoAck !== undefined && onMqtt !== undefined) {
    targets.push(atLeast("MQTT: consume() handles", onMqtt, autoAck, "mqtt.js with auto-ack", 1));
  }
  const ackEach = find("amqplib", "ack each");
  const single = ackEach && ours(ackEach, "consume");
  const multiple = ackEach && ours(ackEach, "consume, multiple ack");
  if (ackEach !== undefined && single !== undefined && multiple !== undefined) {
    targets.push(
      atLeast("AMQP: consume() handles", single, ackEach, "amqplib, acknowledging each", 1),
    );
    const more = multiple.perSecond / single.perSecond;
    targets.push({
      text: `AMQP: with multiple ack ${formatFactor(more)} as many as without (target: above 1×)`,
      reached: more > 1,
    });
  }
  const eachBatch = find("kafkajs", "eachBatch");
  const eachMessage = find("kafkajs", "eachMessage");
  const onKafka = eachBatch && ours(eachBatch, "consume");
  if (eachMessage !== undefined && onKafka !== undefined) {
    targets.push({
      text: `Kafka: consume() takes ${formatFactor(onKafka.cpuOverRaw)} the CPU time of kafkajs's eachBatch (target: 1.15× at most)`,
      reached: onKafka.cpuOverRaw <= 1.15,
    });
    const saved = onKafka.cpuUsPerMessage / eachMessage.cpuUsPerMessage;
    targets.push({
      text: `Kafka: ${formatFactor(saved)} that of eachMessage (target: 0.8× at most)`,
      reached: saved <= 0.8,
    });
  }
  const smf = find("solclientjs", "acknowledged after the handler");
  const onSolace = smf && ours(smf, "consume");
  if (smf !== undefined && onSolace !== undefined) {
    targets.push(atLeast("Solace: consume() handles", onSolace, smf, "solclientjs", 0.95));
  }
  return targets.concat(rows.filter(({ client }) => client === null).flatMap(flat));
}

function atLeast(
  what: string,
  row: ThroughputRow,
  than: ThroughputRow,
  name: string,
  times: number,
): Target {
  const factor = row.perSecond / than.perSecond;
  return {
    text: `${what} ${formatFactor(factor)} as many messages a second as ${name} (target: ${times}× at least)`,
    reached: factor >= times,
  };
}

function flat({ broker, variant, messages, residentBytes }: ThroughputRow): Target[] {
  if (messages < longBacklog) return [];
  const { before, peak } = residentBytes;
  const text = `${broker}, ${variant}: over ${formatCount(messages)} messages ${formatBytes(before)} are resident before, ${formatBytes(peak)} at most meanwhile (target: flat)`;
  return [{ text, reached: peak <= before + flatWithin }];
}
