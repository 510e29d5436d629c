import type { Handler, HandlerContext } from "@lab/core";
import type { Ledger } from "../ledger.ts";
import type { Entry } from "./messages.ts";

/** A handler that reports to the ledger around `work`. */
export function recorded(
  ledger: Ledger,
  work: (entry: Entry, context: HandlerContext) => unknown = () => {},
): Handler<Entry> {
  return async (entry, context) => {
    const { key, seq } = entry;
    ledger.start(key, seq);
    try {
      await work(entry, context);
    } catch (error) {
      ledger.fail(key, seq);
      throw error;
    }
    ledger.succeed(key, seq);
  };
}
