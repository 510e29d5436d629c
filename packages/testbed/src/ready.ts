import { setTimeout as sleep } from "node:timers/promises";
import { LabError } from "@lab/core";
import type { Identity, NativeKind, Trust } from "./kind.ts";
import type { ServerProcess } from "./process.ts";
import type { Target } from "./target.ts";

const betweenAttempts = 20;

/** How long a native server may take from its start to its first handshake. */
const startLimit = 60_000;

/**
 * Waits until the server says that it listens, so that nobody else who took its port can be mistaken for it; then greets
 * it until it answers.
 * @throws {LabError} `BROKER_START_FAILED` with the server's log, when it ended or did not answer in a minute.
 */
export async function untilReady(
  kind: NativeKind,
  target: Target,
  trust: Trust,
  server: ServerProcess,
): Promise<Identity> {
  const deadline = performance.now() + startLimit;
  let refusal: unknown;
  for (;;) {
    trust.signal?.throwIfAborted();
    if (!server.running) {
      throw failed(kind, `ended before it answered (${await server.ended})`, server, refusal);
    }
    if (kind.native.listening.test(server.log)) {
      try {
        return await kind.handshake(target, trust);
      } catch (error) {
        refusal = error;
      }
    }
    if (performance.now() > deadline) {
      throw failed(
        kind,
        `did not answer within ${startLimit / 1000} s (${refusal ?? "it does not listen"})`,
        server,
        refusal,
      );
    }
    await Promise.race([sleep(betweenAttempts), server.ended]);
  }
}

function failed(kind: NativeKind, what: string, server: ServerProcess, cause: unknown): LabError {
  const log = (server.log || "(empty)").replaceAll(/^/gm, "  ");
  return new LabError(
    "BROKER_START_FAILED",
    `${kind.native.product} ${what}. Its log ends:\n${log}`,
    { cause },
  );
}
