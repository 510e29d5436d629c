import { MemoryBroker } from "@lab/core/memory";
import type { Rig, TestSource } from "../rig.ts";

const password = "right";
const maxBodyBytes = 4 * 1024 * 1024;

/** A rig whose broker can be looked into. */
export interface MemoryRig extends Rig {
  readonly memory: MemoryBroker;
}

/** The memory broker, with every fault and refusal that a rig can offer. */
export function memoryRig(): MemoryRig {
  const memory = new MemoryBroker({ password, maxBodyBytes });
  const stopped = new MemoryBroker();
  stopped.stop();
  memory.createQueue("guarded");
  const member = (): ReturnType<MemoryBroker["subscriber"]> => memory.subscriber({ password });

  return {
    memory,
    broker: "memory",
    brokerVersion: "in process",
    real: false,

    async createSource(name: string): Promise<TestSource> {
      memory.createQueue(name);
      return {
        source: name,
        destination: name,
        subscriber: member,
        purge: async () => memory.purge(name),
        delete: async () => memory.deleteQueue(name),
      };
    },

    publisher: async () => memory.publisher({ password }),

    faults: {
      cut: async () => memory.cut(),
      restart: () => memory.restart(),
    },

    refusals: {
      missingSource: () => ({ subscriber: member(), source: "missing" }),
      wrongCredentials: () => ({
        subscriber: memory.subscriber({ password: "wrong" }),
        source: "guarded",
      }),
      unreachable: () => ({ subscriber: stopped.subscriber(), source: "any" }),
      refusedDestination: () => "missing",
      refusedMessage: () => ({ body: new Uint8Array(maxBodyBytes + 1) }),
    },

    close: async () => memory.stop(),
  };
}
