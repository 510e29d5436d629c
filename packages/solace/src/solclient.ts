import type solace from "solclientjs";

/** The module `solclientjs` itself, as the user has imported it: this package never does. */
export type SolaceModule = typeof solace;

/** What the client throws, and what its events carry. Some have only part of it. */
export interface ClientError {
  readonly message?: unknown;
  readonly infoStr?: unknown;
  readonly subcode?: unknown;
  readonly errorSubcode?: unknown;
  readonly responseCode?: unknown;
}

/** An `Error` with the client's words and subcode; its own object holds on to the message, or the session. */
export class SolclientError extends Error {
  override readonly name: string = "SolclientError";
  /** A number of `solace.ErrorSubcode`, where the client gave one. */
  readonly subcode: number | undefined;
  /** The broker's answer, such as 503, where it gave one. */
  readonly responseCode: number | undefined;

  constructor(thrown: unknown) {
    const { message, infoStr, subcode, errorSubcode, responseCode } = (thrown ?? {}) as ClientError;
    super(textOf(infoStr) ?? textOf(message) ?? textOf(thrown) ?? "the client gave no reason");
    this.subcode = numberOf(errorSubcode) ?? numberOf(subcode);
    this.responseCode = numberOf(responseCode);
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
