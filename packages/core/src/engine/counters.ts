/** What the engine counts; `ConsumerStats` says what each means. */
export class Counters {
  received = 0;
  handled = 0;
  failed = 0;
  retried = 0;
  deadLettered = 0;
  rejected = 0;
  halted = 0;
  staleSettles = 0;
  dropped = 0;
  settleFailures = 0;
  unsettled = 0;
  maxUnsettled = 0;
}
