import type { Alteration } from "../support/altered.ts";

/** An adapter with one deliberate fault. */
export interface Broken {
  /** What it does wrong. */
  readonly fault: string;
  /** The name of the scenario that must fail for it. */
  readonly fails: string;
  /** What the failure must say. */
  readonly saying: RegExp;
  readonly alteration: Alteration;
}
