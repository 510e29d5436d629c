import os from "node:os";

/** The machine that a report's figures come from. */
export interface Environment {
  readonly node: string;
  readonly os: string;
  readonly cpu: string;
  /** Cores that this process may use. */
  readonly cores: number;
  readonly memoryBytes: number;
}

export function thisEnvironment(): Environment {
  return {
    node: process.version,
    os: `${os.type()} ${os.release()} ${os.arch()}`,
    cpu: os.cpus()[0]?.model.trim() ?? "unknown",
    cores: os.availableParallelism(),
    memoryBytes: os.totalmem(),
  };
}
