import type { ICustomPartitioner, PartitionerArgs } from "kafkajs";

/**
 * Gives each record its partition once, however often kafkajs sends it. By itself it would choose anew each time: a
 * record without a key would go elsewhere then, though the first attempt may have arrived, and every partition's
 * sequence numbers would be those of other records, which the brokers take for known and drop.
 */
export function chosenOnce(
  make: ICustomPartitioner = partitioner,
  sendingAgain: () => void,
): ICustomPartitioner {
  return () => {
    const choose = make();
    return (args) => {
      const { message } = args;
      if (message.partition === undefined) message.partition = choose(args);
      else sendingAgain();
      return message.partition;
    };
  };
}

/**
 * As Kafka's Java client does it, and kafkajs by default (several times slower, on big integers): by the hash of the
 * key, and in turn where there is none.
 */
export function partitioner(): (args: PartitionerArgs) => number {
  let turn = Math.floor(Math.random() * 2 ** 31);
  return ({ partitionMetadata, message: { key } }) => {
    if (key != null) return (murmur2(key) & 0x7fffffff) % partitionMetadata.length;
    const led = partitionMetadata.filter(({ leader }) => leader >= 0);
    const among = led.length > 0 ? led : partitionMetadata;
    turn = (turn + 1) & 0x7fffffff;
    return among[turn % among.length]?.partitionId ?? 0;
  };
}

const factor = 0x5bd1e995;

function murmur2(key: Buffer | string): number {
  const bytes = typeof key === "string" ? Buffer.from(key) : key;
  const { length } = bytes;
  const rest = length & 3;
  let hash = 0x9747b28c ^ length;
  for (let at = 0; at < length - rest; at += 4) {
    const word = Math.imul(bytes.readInt32LE(at), factor);
    hash = Math.imul(hash, factor) ^ Math.imul(word ^ (word >>> 24), factor);
  }
  if (rest > 0) hash = Math.imul(hash ^ bytes.readUIntLE(length - rest, rest), factor);
  hash = Math.imul(hash ^ (hash >>> 13), factor);
  return hash ^ (hash >>> 15);
}
