/** An answer of the broker that refuses something, such as 503 "Queue Shutdown". */
export interface Refusal {
  readonly code: number;
  readonly text: string;
}

/** What becomes of a request instead of what usually does: a refusal, no answer at all, or nothing special. */
export type Verdict = Refusal | "no answer" | undefined;

/** Who wants to log in. */
export interface LoginAttempt {
  readonly clientName: string;
  readonly userName: string;
  /** Of OAuth; empty otherwise. */
  readonly accessToken: string;
}

/** Faults that last until they are taken back. */
export interface Faults {
  /** Keep-alives are not answered. */
  muteKeepAlive: boolean;
  /** Everything is sent so many ms late. */
  delay: number;
  /** Judges logins. */
  login: ((attempt: LoginAttempt) => Verdict) | undefined;
  /** Judges binds, by name of the queue or topic endpoint. */
  bind: ((endpoint: string) => Verdict) | undefined;
  /** Judges published messages, by topic or name of the queue. */
  publish: ((destination: string, body: Buffer) => Verdict) | undefined;
}

export function noFaults(): Faults {
  return { muteKeepAlive: false, delay: 0, login: undefined, bind: undefined, publish: undefined };
}
