import { setTimeout as sleep } from "node:timers/promises";
import { type Change, change, now } from "./change.ts";

/** Changes come in so many batches a second, as in the published benchmark. */
const batchesPerSecond = 50;

/** How long what has been changed may still be sent when no more is changed, in ms. */
const grace = 2_000;

/** Most messages given to the broker at once in batched mode. */
const mostAtOnce = 2_000;

/** Changes of one instant that are not sent yet. */
interface Due {
  readonly time: number;
  left: number;
}

export interface SendOptions {
  /** None: nothing is changed. */
  readonly topics: readonly string[];
  /** Changes a second; 0: as many as can be sent. */
  readonly rate: number;
  readonly batched: boolean;
  /** By `now()`. */
  readonly from: number;
  readonly until: number;
  readonly send: (changes: readonly Change[]) => Promise<void>;
}

/** Changes values at a steady rate and sends them, all that are due at once or one at a time. Resolves to how many. */
export async function sendChanges(options: SendOptions): Promise<number> {
  const { topics, rate, batched, from, until, send } = options;
  const due: Due[] = [];
  let made = 0;
  let sent = 0;
  const next = (most: number): Change[] => {
    const changes: Change[] = [];
    for (let first = due[0]; first !== undefined && changes.length < most; first = due[0]) {
      changes.push(change(topics[(sent + changes.length) % topics.length] ?? "", first.time));
      if (--first.left === 0) due.shift();
    }
    return changes;
  };
  const make = (): void => {
    const time = now();
    const batch = Math.floor(((Math.min(time, until) - from) / 1_000) * rate) - made;
    if (batch <= 0) return;
    made += batch;
    due.push({ time, left: batch });
  };
  if (topics.length === 0) {
    await sleep(Math.max(0, until + grace - now())); // The other side's may come as long.
    return 0;
  }
  await sleep(Math.max(0, from - now()));
  const timer = rate > 0 ? setInterval(make, 1_000 / batchesPerSecond) : undefined;
  try {
    while (now() < until + (due.length > 0 ? grace : 0)) {
      if (rate === 0 && due.length === 0) due.push({ time: now(), left: batched ? mostAtOnce : 1 });
      const changes = next(batched ? mostAtOnce : 1);
      if (changes.length === 0) await sleep(1);
      else await send(changes);
      sent += changes.length;
    }
  } finally {
    clearInterval(timer);
  }
  return sent;
}
