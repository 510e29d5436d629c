import type { BrokerName } from "../kinds/index.ts";
import { availability } from "../start.ts";

/**
 * Whether tests on this broker, installed on this machine, are to run: if it is there, and if every broker is required. Says
 * so where it is not.
 */
export async function usable(name: BrokerName): Promise<boolean> {
  const { use } = await availability(name, { how: "native" });
  if (use !== undefined || process.env.LAB_REQUIRE_BROKERS === "1") return true;
  console.warn(`Skipped: tests on ${name}, which is not installed: npm run brokers -- install`);
  return false;
}
