import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LabError } from "@lab/core";
import type { How } from "../broker.ts";
import { brokersFolder } from "../folder.ts";
import type { BrokerName } from "../kinds/index.ts";

/** A broker that runs in the background, as its state file describes it. */
export interface Background {
  readonly name: BrokerName;
  /** The process that looks after it. Told to people; never signalled, as a stale number may be somebody else's. */
  readonly pid: number;
  readonly url: string;
  readonly product: string;
  readonly version: string;
  readonly real: boolean;
  readonly how: How;
  readonly startedAt: string;
  /** Where that process answers, and the word that it asks for. */
  readonly control: { readonly port: number; readonly token: string };
}

const answerLimit = 15_000;

const stateFile = (name: BrokerName): string => join(brokersFolder(), `${name}.json`);

/** What the process that looks after it has written; there is something in it only when it failed. */
export async function logFile(name: BrokerName): Promise<string> {
  await mkdir(brokersFolder(), { recursive: true });
  return join(brokersFolder(), `${name}.log`);
}

/** Fails when there is a state file already: then somebody else was faster. */
export async function save(state: Background): Promise<void> {
  await writeFile(stateFile(state.name), JSON.stringify(state, undefined, 2), {
    flag: "wx",
    mode: 0o600,
  });
}

export async function forget(name: BrokerName): Promise<void> {
  await rm(stateFile(name), { force: true });
}

/** The broker in the background, if it is there. A file that a dead process has left behind is removed. */
export async function find(name: BrokerName): Promise<Background | undefined> {
  const text = await readFile(stateFile(name), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const state = parse(text);
  if (state !== undefined && (await ask(state, "status")) !== undefined) return state;
  await forget(name);
  return undefined;
}

/**
 * Asks the process that looks after a broker: `status` is answered with "ok" or with what is wrong with the broker,
 * `stop` when everything is cleaned up. Undefined when there is no such process any more.
 * @throws {LabError} `BROKER_UNREACHABLE` when it is there but does not answer in 15 s.
 */
export async function ask(
  { name, pid, control }: Background,
  what: "status" | "stop",
): Promise<string | undefined> {
  try {
    const answer = await fetch(`http://127.0.0.1:${control.port}/${what}`, {
      method: "POST",
      headers: { authorization: control.token },
      signal: AbortSignal.timeout(answerLimit),
    });
    return answer.ok ? await answer.text() : undefined;
  } catch (error) {
    if ((error as Error).name !== "TimeoutError") return undefined;
    throw new LabError(
      "BROKER_UNREACHABLE",
      `The process ${pid}, which looks after the ${name} broker, does not answer. End it and remove ${stateFile(name)}.`,
      { cause: error },
    );
  }
}

function parse(text: string): Background | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
