import { SolaceTestBroker, type TestBrokerOptions } from "@lab/solace-testbroker";
import { onTestFinished } from "vitest";

/** A broker that runs until the test is over. */
export async function started(options: TestBrokerOptions = {}): Promise<SolaceTestBroker> {
  const broker = new SolaceTestBroker(options);
  await broker.start();
  onTestFinished(() => broker.stop());
  return broker;
}
