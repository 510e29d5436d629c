import { LabError } from "@lab/core";
import type { BrokerKind } from "./kind.ts";
import type { Server } from "./server.ts";
import { parseUrl, withoutPassword } from "./target.ts";

/** URL of the broker that runs already, if the environment names one. */
export function runningUrl(kind: BrokerKind): string | undefined {
  const value = process.env[kind.urlVariable]?.trim() ?? "";
  if (value === "") return undefined;
  return kind.url?.(value) ?? value;
}

/**
 * Greets the broker that the environment names. It is the user's choice, so when it does not answer nothing else is used
 * in its place.
 * @throws {LabError} `INVALID_OPTION`, `ACCESS_REFUSED`, `BROKER_UNREACHABLE`
 */
export async function greetRunning(
  kind: BrokerKind,
  url: string,
  signal?: AbortSignal,
): Promise<Server> {
  const target = parseUrl(kind, url, kind.urlVariable);
  try {
    const identity = await kind.handshake(target, { signal });
    return { target, identity, stop: async () => undefined };
  } catch (error) {
    signal?.throwIfAborted();
    throw new LabError(
      error instanceof LabError ? error.code : "BROKER_UNREACHABLE",
      `${kind.urlVariable} names the broker ${withoutPassword(url)}, which did not accept a connection: ` +
        `${(error as Error).message}. Start it, correct ${kind.urlVariable}, or unset it to let the test bed start one.`,
      { cause: error },
    );
  }
}
