import type { BrokerChoice } from "./brokers.ts";

/** Where a command writes: a terminal, a pipe, or a test's buffer. */
export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean };

/** What a command is run with. Injected, so that tests can read the output and put in brokers of their own. */
export interface Context {
  readonly out: Output;
  readonly err: Output;
  readonly brokers: readonly BrokerChoice[];
  /** Every broker has to start, whether it is named or not, and be a real one where there is such. */
  readonly brokersRequired: boolean;
  /** Aborts when the user interrupts: the command ends its run and closes what it opened. */
  readonly signal: AbortSignal;
}

export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /**
   * Resolves to the exit code: 0 when every check held, 1 when one did not.
   * @throws {LabError} `INVALID_OPTION` for arguments that cannot work
   */
  run(argv: readonly string[], context: Context): Promise<number>;
}
