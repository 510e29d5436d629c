import { readFileSync } from "node:fs";

/** Of what a member writes down: twice for each message. */
export const entryLength = 17;

interface Event {
  readonly end: boolean;
  readonly key: number;
  readonly seq: number;
  /** Nanoseconds. */
  readonly at: bigint;
  /** Of a start: its handler has come to its end. Others died with their process. */
  ends: boolean;
}

export interface Verdict {
  /** Messages handled at least once. */
  readonly handled: number;
  /** Messages whose handler began before the one before it, of the same key, had ended anywhere. */
  readonly inversions: readonly string[];
  /** Handlers of one key at once. Only where a member has lost a partition while a handler ran. */
  readonly overlaps: number;
  /** Messages handled once more, by the fault that came before. */
  readonly repeats: readonly number[];
}

/** Reads what every member has written down. `faults`: when each was worked, by the same clock. */
export function judge(logs: readonly string[], faults: readonly bigint[]): Verdict {
  const events = logs.flatMap(read).sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const done = new Map<number, Set<number>>();
  const running = new Map<number, number>();
  const inversions: string[] = [];
  const repeats = faults.map(() => 0);
  let handled = 0;
  let overlaps = 0;
  let fault = -1;
  for (const { end, key, seq, at, ends } of events) {
    while (fault + 1 < faults.length && (faults[fault + 1] as bigint) <= at) fault++;
    const ofKey = done.get(key) ?? new Set<number>();
    done.set(key, ofKey);
    if (!end) {
      if ((running.get(key) ?? 0) > 0) overlaps++;
      if (ends) running.set(key, (running.get(key) ?? 0) + 1);
      if (seq > 0 && !ofKey.has(seq - 1)) inversions.push(`${key}/${seq}`);
      continue;
    }
    running.set(key, (running.get(key) ?? 0) - 1);
    if (!ofKey.has(seq)) handled++;
    else if (fault >= 0) repeats[fault] = (repeats[fault] as number) + 1;
    else inversions.push(`${key}/${seq} again without a fault`);
    ofKey.add(seq);
  }
  return { handled, inversions, overlaps, repeats };
}

/** A killed process may have written half of an entry. */
function read(log: string): Event[] {
  const bytes = readFileSync(log);
  const events: Event[] = [];
  const started = new Map<number, Event>();
  for (let from = 0; from + entryLength <= bytes.length; from += entryLength) {
    const event = {
      end: bytes.readUInt8(from) === 1,
      key: bytes.readUInt32LE(from + 1),
      seq: bytes.readUInt32LE(from + 5),
      at: bytes.readBigUInt64LE(from + 9),
      ends: false,
    };
    const start = started.get(event.key);
    if (!event.end) started.set(event.key, event);
    else if (start !== undefined) start.ends = true;
    events.push(event);
  }
  return events;
}
