import fc from "fast-check";
import kafkajs, { type PartitionerArgs } from "kafkajs";
import { expect, test } from "vitest";
import { chosenOnce, partitioner } from "../src/kafkajs/partitioner.ts";

const { DefaultPartitioner } = kafkajs.Partitioners;

/** `led`: which partitions have a leader. */
function argsFor(key: string | Buffer | null, led: readonly boolean[]): PartitionerArgs {
  const partitionMetadata = led.map((leads, partitionId) => ({
    partitionErrorCode: 0,
    partitionId,
    leader: leads ? 1 : -1,
    replicas: [1],
    isr: [1],
  }));
  return { topic: "t", partitionMetadata, message: { key, value: null } };
}

test("a key has the partition that kafkajs and Kafka's Java client give it", () => {
  const [ours, theirs] = [partitioner(), DefaultPartitioner()];
  const key = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  );
  fc.assert(
    fc.property(key, fc.integer({ min: 1, max: 100 }), (text, count) => {
      const args = argsFor(text, Array<boolean>(count).fill(true));
      expect(ours(args)).toBe(theirs(args));
    }),
  );
  // From the tests of the Java client: murmur2 of "21" is -973932308, and of "foobar" -790332482.
  const many = 1_000_003;
  const at = (text: string) => ours(argsFor(text, Array<boolean>(many).fill(true)));
  expect(at("21")).toBe((-973_932_308 & 0x7fffffff) % many);
  expect(at("foobar")).toBe((-790_332_482 & 0x7fffffff) % many);
});

test("records without a key go to the partitions that have a leader, in turn", () => {
  const choose = partitioner();
  const next = (led: readonly boolean[]) => choose(argsFor(null, led));
  const led = [true, false, true, true];
  const six = Array.from({ length: 6 }, () => next(led));
  expect([...six.slice(0, 3)].sort()).toEqual([0, 2, 3]);
  expect(six.slice(3)).toEqual(six.slice(0, 3));
  expect([next([false, false]), next([false, false])].sort()).toEqual([0, 1]);
});

test("a record keeps its partition when kafkajs sends it again, though the topic has more by then", () => {
  let again = 0;
  const choose = chosenOnce(undefined, () => again++)();
  const args = argsFor(null, [true, true, true]);
  const first = choose(args);
  expect(again).toBe(0);
  expect(choose(args)).toBe(first);
  const { message } = args;
  expect(choose({ ...argsFor(null, Array<boolean>(20).fill(true)), message })).toBe(first);
  expect(again).toBe(2);
});

test("a partitioner of the user's is asked once for each record", () => {
  const asked: unknown[] = [];
  const own = () => (args: PartitionerArgs) => {
    asked.push(args.message.key);
    return 7;
  };
  const choose = chosenOnce(own, () => {})();
  const args = argsFor("k", [true]);
  expect([choose(args), choose(args)]).toEqual([7, 7]);
  expect(asked).toEqual(["k"]);
});
