import { Writable } from "node:stream";
import { availability, brokerNames } from "@lab/testbed";
import { type BrokerChoice, brokers } from "../src/brokers.ts";
import type { Context } from "../src/command.ts";
import { main } from "../src/main.ts";

/** Those of the brokers that are here, or all where all are required. Says which are left out. */
export async function brokersHere<Name extends string>(names: readonly Name[]): Promise<Name[]> {
  const here: Name[] = [];
  for (const name of names) {
    const started = brokerNames.find((one) => one === name); // The others are in the process.
    const missing = started !== undefined && (await availability(started)).use === undefined;
    if (!missing || process.env.LAB_REQUIRE_BROKERS === "1") here.push(name);
    else console.warn(`Skipped: ${name}, of which there is no broker here.`);
  }
  return here;
}

/** What a command wrote and how it ended. */
export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command line in this process, with the brokers given. */
export async function bench(
  argv: readonly string[],
  {
    choices = brokers,
    brokersRequired = false,
    signal = new AbortController().signal,
  }: {
    choices?: readonly BrokerChoice[];
    brokersRequired?: boolean;
    signal?: AbortSignal;
  } = {},
): Promise<Outcome> {
  const out = new Collected();
  const err = new Collected();
  const context: Context = { out, err, brokers: choices, brokersRequired, signal };
  const code = await main(argv, context);
  return { code, out: out.text, err: err.text };
}

class Collected extends Writable {
  text = "";

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
