import { AdapterDelivery } from "@lab/core/adapter";
import type solace from "solclientjs";

/** A delivery, and the client's object that it is settled with: the newest, where the message came again. */
export class SolaceDelivery extends AdapterDelivery<undefined> {
  native: solace.Message;
  /** Where it is among those in hand. */
  place = 0;
  /** The broker's id of the message, once it was read. */
  id = "";

  constructor(
    native: solace.Message,
    ...rest: ConstructorParameters<typeof AdapterDelivery<undefined>>
  ) {
    super(...rest);
    this.native = native;
  }
}
