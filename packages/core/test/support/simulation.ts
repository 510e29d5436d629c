import { hashKey } from "../../src/engine/hash.ts";

/** A drain to simulate: message `i` has key `keys[i]` and keeps a lane for `ms[i]`. */
export interface Drain {
  readonly keys: readonly string[];
  readonly ms: readonly number[];
  readonly lanes: number;
  readonly window: number;
}

/** Which message starts next in which lane; told apart from the rules of delivery, which both models share. */
interface Model {
  arrive(message: number): void;
  /** Takes the next message that may start now. */
  next(): number | undefined;
  end(message: number): void;
}

/**
 * List scheduling, by its definition and nothing else: any free lane takes the oldest message whose key is not at work.
 * Slow and obvious: it knows neither queues nor heaps, and shares no code with the engine.
 */
export function keyedModel({ keys, lanes }: Drain): Model {
  const waiting: number[] = [];
  const busy = new Set<string>();
  return {
    arrive: (message) => waiting.push(message),
    next() {
      if (busy.size === lanes) return undefined;
      const at = waiting.findIndex((message) => !busy.has(keys[message] as string));
      if (at < 0) return undefined;
      const [message] = waiting.splice(at, 1) as [number];
      busy.add(keys[message] as string);
      return message;
    },
    end: (message) => busy.delete(keys[message] as string),
  };
}

/** Each lane works through its messages in order. */
export function hashedModel({ keys, lanes }: Drain): Model {
  const waiting: number[] = [];
  const busy = new Set<number>();
  const lane = (message: number): number => hashKey(keys[message] as string) % lanes;
  return {
    arrive: (message) => waiting.push(message),
    next() {
      const at = waiting.findIndex((message) => !busy.has(lane(message)));
      if (at < 0) return undefined;
      const [message] = waiting.splice(at, 1) as [number];
      busy.add(lane(message));
      return message;
    },
    end: (message) => busy.delete(lane(message)),
  };
}

/** The time at which each message starts. */
export function simulate(drain: Drain, model: Model): number[] {
  const { keys, ms, window } = drain;
  const starts = new Array<number>(keys.length).fill(Number.NaN);
  const running: { message: number; end: number }[] = [];
  let now = 0;
  let arrived = 0;
  let done = 0;
  for (;;) {
    for (let next = model.next(); next !== undefined; next = model.next()) {
      starts[next] = now;
      running.push({ message: next, end: now + (ms[next] as number) });
    }
    if (arrived < keys.length && arrived - done < window) {
      model.arrive(arrived++);
      continue;
    }
    if (running.length === 0) return starts;
    running.sort((a, b) => a.end - b.end);
    const { message, end } = running.shift() as { message: number; end: number };
    now = end;
    done++;
    model.end(message);
  }
}
