import type { Message } from "@lab/core";
import { seededRandom } from "../random.ts";
import { lowerBound } from "./bound.ts";
import { type KeyDistribution, keySequence } from "./key-distribution.ts";

export interface WorkloadOptions {
  readonly messages: number;
  readonly keys: number;
  readonly keyDistribution: KeyDistribution;
  /** Shortest and longest handler time in ms, both included, before scaling. */
  readonly handler: readonly [number, number];
  readonly scale: number;
  readonly seed: number;
}

/** The backlog that every configuration of one run gets: the same keys in the same order, the same handler times. */
export interface Workload {
  readonly messages: number;
  readonly keys: number;
  /** Key of message i, as a number. */
  readonly key: Uint32Array;
  /** Position of message i among those of its key, from 0. */
  readonly sequence: Uint32Array;
  /** How long the handler of message i works, in whole ms: timers fire early on fractions. At least 1. */
  readonly handlerMs: Uint32Array;
}

export function createWorkload(options: WorkloadOptions): Workload {
  const { messages, keys, scale, seed } = options;
  const [shortest, longest] = options.handler;
  const key = new Uint32Array(messages);
  const sequence = new Uint32Array(messages);
  const handlerMs = new Uint32Array(messages);
  // A stream of random numbers for each, so that the handler times are the same whatever the keys are.
  const nextKey = keySequence(options.keyDistribution, keys, seededRandom(seed));
  const nextTime = seededRandom(seed ^ 0x5bd1e995);
  const count = new Uint32Array(keys);
  for (let index = 0; index < messages; index++) {
    const picked = nextKey(index);
    const before = count[picked] ?? 0;
    key[index] = picked;
    sequence[index] = before;
    count[picked] = before + 1;
    const fullScale = shortest + Math.floor(nextTime() * (longest - shortest + 1));
    handlerMs[index] = Math.max(1, Math.round(fullScale * scale));
  }
  return { messages, keys, key, sequence, handlerMs };
}

/** What a message carries: its number, its key and its position within the key, 4 bytes each. */
export interface Content {
  readonly index: number;
  readonly key: number;
  readonly sequence: number;
}

export function encode(workload: Workload, index: number): Uint8Array {
  const body = new DataView(new ArrayBuffer(12));
  body.setUint32(0, index);
  body.setUint32(4, workload.key[index] ?? 0);
  body.setUint32(8, workload.sequence[index] ?? 0);
  return new Uint8Array(body.buffer);
}

export function decode({ body }: Message): Content {
  if (body.byteLength !== 12) {
    throw new Error(`Expected a body of 12 bytes, got ${body.byteLength}.`);
  }
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  return { index: view.getUint32(0), key: view.getUint32(4), sequence: view.getUint32(8) };
}

export function keyName(key: number): string {
  return `key-${key}`;
}

export function keyOf(message: Message): string {
  return keyName(decode(message).key);
}

/** No schedule with so many lanes handles the workload in less time, in ms. */
export function fastestMs({ key, handlerMs }: Workload, lanes: number): number {
  const handled = Array.from(handlerMs, (ms, index) => ({ key: key[index] ?? 0, ms }));
  return lowerBound(handled, lanes).boundMs;
}
