import { fileURLToPath } from "node:url";

/**
 * Where the state of brokers in the background is kept, and what was installed that no package has: `BROKERS_DIR`, or
 * `.brokers` in the root of the repository.
 */
export function brokersFolder(): string {
  const { BROKERS_DIR } = process.env;
  return BROKERS_DIR || fileURLToPath(new URL("../../../.brokers", import.meta.url));
}
