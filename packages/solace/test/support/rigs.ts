import { solacePublisher, solaceSubscriber } from "@lab/solace";
import { SolaceTestBroker, type TestBrokerOptions } from "@lab/solace-testbroker";
import {
  type SolaceRigBroker,
  type SolaceRigOptions,
  solaceRig,
  testBrokerQueues,
} from "@lab/testbed/rigs";

export const adapter = { solaceSubscriber, solacePublisher };

export const credentials = { username: "rig", password: "right" };

export interface TestBrokerRigOptions
  extends Pick<SolaceRigOptions, "deliveryCount" | "partitioned"> {
  readonly redeliveredIds: NonNullable<TestBrokerOptions["redeliveredIds"]>;
  /** Queues are made with the client alone, as on a broker of which no more is known. @default false */
  readonly clientOnly?: boolean;
}

/** A rig on a test double of its own. */
export async function testBrokerRig(options: TestBrokerRigOptions): ReturnType<typeof solaceRig> {
  const { redeliveredIds, deliveryCount = false, partitioned = false } = options;
  const broker = new SolaceTestBroker({ redeliveredIds, credentials });
  await broker.start();
  const queues = testBrokerQueues(broker, { deliveryCount, partitions: partitioned ? 7 : 0 });
  return solaceRig({
    ...options,
    adapter,
    broker: asRigBroker(broker),
    ...(options.clientOnly !== true && { queues }),
  });
}

function asRigBroker(broker: SolaceTestBroker): SolaceRigBroker {
  const { username, password } = credentials;
  return {
    product: "solace-testbroker",
    version: "0.1.0",
    real: false,
    how: "embedded",
    url: broker.url.replace("//", `//${username}:${password}@`),
    cut: async () => broker.cut(),
    restart: () => broker.restart(),
    stop: () => broker.stop(),
  };
}
