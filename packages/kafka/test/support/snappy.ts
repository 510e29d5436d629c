/**
 * Snappy, as far as the tests need it: it writes everything as literals, which any reader understands, and reads nothing
 * else. A codec as kafkajs wants it.
 */
export const snappy = {
  compress: async ({ buffer }: { buffer: Buffer }): Promise<Buffer> => {
    const parts: Buffer[] = [varint(buffer.length)];
    for (let from = 0; from < buffer.length; from += 60) {
      const literal = buffer.subarray(from, from + 60);
      parts.push(Buffer.from([(literal.length - 1) << 2]), literal);
    }
    return Buffer.concat(parts);
  },
  decompress: async (bytes: Buffer): Promise<Buffer> => {
    let at = 0;
    while ((bytes[at++] ?? 0) > 127);
    const parts: Buffer[] = [];
    while (at < bytes.length) {
      const tag = bytes[at++] ?? 0;
      if ((tag & 3) !== 0 || tag >> 2 > 59) throw new Error("More than short literals");
      const length = (tag >> 2) + 1;
      parts.push(bytes.subarray(at, at + length));
      at += length;
    }
    return Buffer.concat(parts);
  },
};

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left > 127; left >>>= 7) bytes.push((left & 127) | 128);
  bytes.push(left);
  return Buffer.from(bytes);
}
