import { answerRequests } from "../worker-process.ts";
import type { Site } from "./contender.ts";
import { contenders, type MeasuredBroker } from "./contenders/index.ts";
import { type Measured, Meter } from "./meter.ts";

/** What a worker is asked for: one measurement. */
export interface WorkerRequest {
  readonly broker: MeasuredBroker;
  readonly variant: string;
  readonly site: Site;
  readonly window: number;
  /** Messages that come first and are not measured. At least 1. */
  readonly warmUp: number;
  readonly messages: number;
}

/** How long nothing may be handled before the measurement is given up, in ms. */
const patience = 60_000;

answerRequests(async (request: WorkerRequest): Promise<Measured> => {
  const { broker, variant, site, window, warmUp, messages } = request;
  const contender = contenders[broker].find((one) => one.variant === variant);
  if (contender === undefined) throw new Error(`No contender on ${broker} is named "${variant}".`);
  const meter = new Meter(warmUp, messages);
  let handled = 0;
  const watch = setInterval(() => {
    if (meter.handled === handled) {
      throw new Error(`${variant} stands still after ${handled} of ${warmUp + messages} messages.`);
    }
    handled = meter.handled;
  }, patience);
  const { handler, finished } = meter;
  await contender.consume({ ...site, window, handler, finished });
  clearInterval(watch);
  return meter.result();
});
