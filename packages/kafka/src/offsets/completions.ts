/**
 * The offsets beyond a committed one that are done as well, as they are kept in the commit's metadata: after a crash
 * only the others are repeated. In the metadata they are runs: how many are open, how many are done, and so on, each
 * number as a varint, in base64.
 */
export class Completions {
  /** First offset of each run of done ones, and the offset after it. In order. */
  readonly #runs: readonly (readonly [number, number])[];

  private constructor(runs: readonly (readonly [number, number])[]) {
    this.#runs = runs;
  }

  /** Reads what {@link encodeCompletions} has written; undefined for anything else, which is anybody's right. */
  static decode(committed: number, metadata: string): Completions | undefined {
    if (!metadata.startsWith(prefix)) return undefined;
    const bytes = Buffer.from(metadata.slice(prefix.length), "base64");
    const runs: [number, number][] = [];
    let end = committed;
    let at = 0;
    const varint = (): number => {
      let value = 0;
      for (let scale = 1; ; scale *= 128) {
        const byte = bytes[at++] ?? 0;
        value += (byte & 127) * scale;
        if (byte < 128) return value;
      }
    };
    while (at < bytes.length) {
      const start = end + varint();
      end = start + varint();
      runs.push([start, end]);
    }
    return new Completions(runs);
  }

  has(offset: number): boolean {
    let low = 0;
    let high = this.#runs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#runs[middle]?.[1] as number) <= offset) low = middle + 1;
      else high = middle;
    }
    const run = this.#runs[low];
    return run !== undefined && run[0] <= offset;
  }
}

/** Names the format, so that metadata of another origin is not mistaken for it. */
const prefix = "lab1:";

/**
 * The metadata for a commit: as many of the completions as fit in `limit` bytes, the first of them. Offsets that do not
 * exist (compaction, control records) may count as open.
 */
export function encodeCompletions(
  committed: number,
  done: Iterable<number>,
  limit: number,
): string {
  const room = Math.floor((limit - prefix.length) / 4) * 3;
  const bytes: number[] = [];
  let at = committed;
  for (const [start, end] of runs(done)) {
    const run = [...varint(start - at), ...varint(end - start)];
    if (bytes.length + run.length > room) break;
    bytes.push(...run);
    at = end;
  }
  return bytes.length === 0 ? "" : prefix + Buffer.from(bytes).toString("base64");
}

/** First offset of each run of consecutive ones, and the offset after it. */
function* runs(offsets: Iterable<number>): Generator<readonly [number, number]> {
  let start = -1;
  let end = -1;
  for (const offset of offsets) {
    if (offset !== end) {
      if (start >= 0) yield [start, end];
      start = offset;
    }
    end = offset + 1;
  }
  if (start >= 0) yield [start, end];
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let left = value;
  while (left >= 128) {
    bytes.push((left % 128) | 128);
    left = Math.floor(left / 128);
  }
  bytes.push(left);
  return bytes;
}
