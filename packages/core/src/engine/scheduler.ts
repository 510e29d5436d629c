import type { Clock } from "../clock.ts";
import type { LaneStats } from "../stats.ts";
import { isThenable } from "../thenable.ts";
import { hashKey } from "./hash.ts";
import type { Job } from "./job.ts";
import { type KeyQueue, KeyTable } from "./key-table.ts";
import { ReadySet } from "./ready-set.ts";

/** What the scheduler calls to get the work done. */
export interface Work {
  /** Starts an attempt. A thenable is awaited; anything else, or a throw, ends the attempt at once. */
  start(job: Job, lane: number): unknown;
  /** The attempt succeeded; the key is freed when this returns, and the job is the callee's to recycle. */
  succeeded(job: Job): void;
  /**
   * The attempt failed. True frees the key, and the job is the callee's to recycle; false keeps the key held until
   * `retry` or `release`. The lane is free in both cases.
   */
  failed(job: Job, thrown: unknown): boolean;
}

/** How far an attempt has got when the call that ran it returns. */
type Progress = "pending" | "freed" | "held";

/** One lane. Its continuations are bound once, so an attempt allocates none. */
class Slot {
  readonly lane: number;
  job: Job | null = null;
  nextFree: Slot | null = null;
  busySince = -1;
  busyMs = 0;
  readonly ok: () => void;
  readonly err: (thrown: unknown) => void;

  constructor(lane: number, scheduler: Scheduler) {
    this.lane = lane;
    this.ok = () => scheduler.succeeded(this);
    this.err = (thrown) => scheduler.failed(this, thrown);
  }
}

/**
 * Runs jobs of one key one after the other, and jobs of different keys on as many lanes as there are: any free lane
 * takes the key whose head arrived first. No lane is idle while a key is ready.
 */
export class Scheduler {
  readonly #work: Work;
  readonly #clock: Clock;
  readonly #table: KeyTable;
  readonly #ready: ReadySet = new ReadySet();
  readonly #slots: Slot[];
  #free: Slot | null = null;

  /** `firstLane` numbers the lanes; `keys` is how many keys the table has room for before it becomes slower. */
  constructor(lanes: number, firstLane: number, keys: number, work: Work, clock: Clock) {
    this.#work = work;
    this.#clock = clock;
    this.#table = new KeyTable(keys);
    this.#slots = Array.from({ length: lanes }, (_, i) => new Slot(firstLane + i, this));
    for (const slot of this.#slots.toReversed()) {
      slot.nextFree = this.#free;
      this.#free = slot;
    }
  }

  push(job: Job): void {
    const key = job.key;
    const hash = key === undefined ? job.arrival >>> 0 : hashKey(key);
    const found = key === undefined ? null : this.#table.find(key, hash);
    if (found !== null) {
      job.queue = found;
      found.append(job);
      return;
    }
    const queue = this.#table.add(key, hash);
    job.queue = queue;
    const slot = this.#free;
    if (slot === null) {
      queue.append(job);
      this.#ready.append(queue);
      return;
    }
    this.#occupy(slot);
    queue.current = job;
    const progress = this.#run(slot, job);
    if (progress !== "pending") this.#advance(slot, progress === "freed" ? queue : null);
  }

  /** Runs a held job again, as soon as a lane is free. */
  retry(job: Job): void {
    job.queue.prepend(job);
    this.release(job.queue);
  }

  /** Frees a held key: its next job may run. */
  release(queue: KeyQueue): void {
    queue.current = null;
    if (queue.head === null) {
      this.#table.remove(queue);
      return;
    }
    this.#ready.insert(queue);
    this.#wake();
  }

  /**
   * Shows every job outside a lane to `drop`: the queued ones, and those that hold their key (`held`). It recycles those
   * for which it returns true. Jobs that run stay, but are shown too, as neither may be forgotten when a session ends.
   */
  sweep(drop: (job: Job, place: "queued" | "current") => boolean): void {
    const ready: KeyQueue[] = [];
    for (const queue of this.#table.all()) {
      let job = queue.head;
      queue.head = null;
      queue.tail = null;
      while (job !== null) {
        const next = job.next;
        job.next = null;
        if (!drop(job, "queued")) queue.append(job);
        job = next;
      }
      if (queue.current !== null && drop(queue.current, "current")) queue.current = null;
      if (queue.current !== null) continue;
      if (queue.head === null) this.#table.remove(queue);
      else ready.push(queue);
    }
    this.#ready.clear();
    ready.sort((a, b) => (a.head as Job).arrival - (b.head as Job).arrival);
    for (const queue of ready) this.#ready.append(queue);
    this.#wake();
  }

  lanes(): LaneStats[] {
    const now = this.#clock.now();
    return this.#slots.map(({ busySince, busyMs }) => ({
      busy: busySince >= 0,
      busyMs: busySince >= 0 ? busyMs + now - busySince : busyMs,
    }));
  }

  /** Called by the slots alone: the awaited attempt has succeeded. */
  succeeded(slot: Slot): void {
    const job = slot.job as Job;
    const queue = job.queue;
    slot.job = null;
    this.#work.succeeded(job);
    this.#advance(slot, queue);
  }

  /** Called by the slots alone: the awaited attempt has failed. */
  failed(slot: Slot, thrown: unknown): void {
    const job = slot.job as Job;
    const queue = job.queue;
    slot.job = null;
    this.#advance(slot, this.#failed(job, thrown) === "freed" ? queue : null);
  }

  /** Keeps a lane at work until an attempt has to be awaited or nothing is ready. `freed` is the key it has finished with. */
  #advance(slot: Slot, freed: KeyQueue | null): void {
    for (;;) {
      const queue = freed === null ? this.#ready.take() : this.#nextAfter(freed);
      if (queue === null) {
        this.#idle(slot);
        return;
      }
      const job = queue.shift();
      queue.current = job;
      const progress = this.#run(slot, job);
      if (progress === "pending") return;
      freed = progress === "freed" ? queue : null;
    }
  }

  #nextAfter(freed: KeyQueue): KeyQueue | null {
    freed.current = null;
    if (freed.head !== null) return this.#ready.exchange(freed);
    this.#table.remove(freed);
    return this.#ready.take();
  }

  #run(slot: Slot, job: Job): Progress {
    try {
      const result = this.#work.start(job, slot.lane);
      if (isThenable(result)) {
        // A promise of the platform is taken as it is. Anything else is wrapped: it might call back twice, or at once.
        Promise.resolve(result).then(slot.ok, slot.err);
        slot.job = job;
        return "pending";
      }
    } catch (thrown) {
      return this.#failed(job, thrown);
    }
    this.#work.succeeded(job);
    return "freed";
  }

  #failed(job: Job, thrown: unknown): Progress {
    return this.#work.failed(job, thrown) ? "freed" : "held";
  }

  #wake(): void {
    while (this.#free !== null && !this.#ready.empty) {
      const slot = this.#free;
      this.#occupy(slot);
      this.#advance(slot, null);
    }
  }

  #occupy(slot: Slot): void {
    this.#free = slot.nextFree;
    slot.nextFree = null;
    slot.busySince = this.#clock.now();
  }

  #idle(slot: Slot): void {
    slot.busyMs += this.#clock.now() - slot.busySince;
    slot.busySince = -1;
    slot.nextFree = this.#free;
    this.#free = slot;
  }
}
