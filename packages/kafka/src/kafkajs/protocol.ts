/**
 * The two structures with which members of a group tell each other of topics and partitions. kafkajs has functions for
 * them, but this package imports no client at run time.
 */

/** What a member tells when it joins. */
export interface MemberMetadata {
  readonly topics: readonly string[];
  readonly userData: Buffer;
}

const version = 0;

export function encodeMetadata({ topics, userData }: MemberMetadata): Buffer {
  return Buffer.concat([
    int16(version),
    int32(topics.length),
    ...topics.flatMap(text),
    int32(userData.length),
    userData,
  ]);
}

export function decodeMetadata(bytes: Buffer): MemberMetadata {
  let at = 2;
  const number = (): number => {
    at += 4;
    return bytes.readInt32BE(at - 4);
  };
  const take = (length: number): Buffer => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  const topics: string[] = [];
  for (let left = number(); left > 0; left--) {
    const length = take(2).readInt16BE();
    topics.push(take(length).toString());
  }
  const userData = at < bytes.length ? take(Math.max(0, number())) : Buffer.alloc(0);
  return { topics, userData };
}

/** What the leader gives to a member. */
export function encodeAssignment(partitions: ReadonlyMap<string, readonly number[]>): Buffer {
  const topics = [...partitions].flatMap(([topic, numbers]) => [
    ...text(topic),
    int32(numbers.length),
    ...numbers.map(int32),
  ]);
  return Buffer.concat([int16(version), int32(partitions.size), ...topics, int32(0)]);
}

function text(value: string): Buffer[] {
  const bytes = Buffer.from(value);
  return [int16(bytes.length), bytes];
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
