import { AdapterDelivery, type AdapterSession, type Settler } from "@lab/core/adapter";
import type solace from "solclientjs";
import type { SolaceMessage } from "./message.ts";

/** A delivery, and the client's object that it is settled with: the newest, where the message came again. */
export class SolaceDelivery extends AdapterDelivery<undefined> {
  native: solace.Message;
  /** Where it is among those in hand. */
  place = 0;
  /** The broker's id of the message, once it was read. */
  id = "";

  constructor(
    session: AdapterSession,
    message: SolaceMessage,
    deliveryCount: number | undefined,
    settler: Settler<undefined>,
  ) {
    super(session, message, message.native.isRedelivered(), deliveryCount, undefined, settler);
    this.native = message.native;
  }
}
