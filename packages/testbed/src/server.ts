import type { Identity } from "./kind.ts";
import type { Target } from "./target.ts";

/** A broker that answers, before the proxy is put in front of it. */
export interface Server {
  /** `control.start` may change it. */
  readonly target: Target;
  /** What the proxy connects to, where that is another port. `control.start` may change it. */
  readonly behindProxy?: number | undefined;
  readonly identity: Identity;
  readonly ca?: string | undefined;
  /** Present where we own the process and its state can survive it. */
  readonly control?: ServerControl | undefined;
  /** Runs the server's own command for administrators and returns what it writes. */
  admin?(...args: string[]): Promise<string>;
  /** Ends what we started; leaves alone what was running. */
  stop(): Promise<void>;
}

export interface ServerControl {
  /** Writes state that is in memory only to disk. Nothing may reach or leave the broker meanwhile. */
  save(): Promise<void>;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** Resolves when it answers a handshake; does nothing if it runs. */
  start(): Promise<void>;
}
