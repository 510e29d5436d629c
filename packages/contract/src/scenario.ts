import type { ContractCapabilities } from "./capabilities.ts";
import type { ScenarioContext } from "./context.ts";

/** One thing that an adapter must get right. */
export interface Scenario {
  /** A sentence whose subject is the adapter. Plain words, so that `vitest -t` takes it as it is. */
  readonly name: string;
  /** For the negative test of a capability: true where it is declared false. @default it is for every adapter */
  readonly appliesTo?: (capabilities: ContractCapabilities) => boolean;
  /** Says why it cannot run; `true` or absent = it can. */
  readonly needs?: (capabilities: ContractCapabilities) => true | string;
  readonly run: (context: ScenarioContext) => Promise<void>;
}
