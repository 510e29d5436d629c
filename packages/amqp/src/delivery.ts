import { AdapterDelivery } from "@lab/core/adapter";

/** A delivery, and its place among those that the broker waits for. Its tag is AMQP's delivery tag. */
export class AmqpDelivery extends AdapterDelivery<number> {
  previous: AmqpDelivery | undefined = undefined;
  next: AmqpDelivery | undefined = undefined;
  /** Settled with `ack`, and the broker has not been told yet. */
  acked = false;
  /** When it came, in ticks of its session. */
  tick = 0;
}
