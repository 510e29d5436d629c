import type { Outcome } from "@lab/core";
import { AdapterDelivery } from "@lab/core/adapter";
import type solace from "solclientjs";

/** A delivery, and the client's object that it is settled with: the newest, where the message came again. */
export class SolaceDelivery extends AdapterDelivery<undefined> {
  native: solace.Message;
  /** What was decided, once it was. */
  outcome: Outcome | undefined = undefined;

  constructor(
    native: solace.Message,
    ...rest: ConstructorParameters<typeof AdapterDelivery<undefined>>
  ) {
    super(...rest);
    this.native = native;
  }
}
