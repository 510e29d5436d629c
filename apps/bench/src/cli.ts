#!/usr/bin/env node
import { brokers } from "./brokers.ts";
import { main } from "./main.ts";

const interrupt = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.once(name, () => interrupt.abort(new Error(`Interrupted by ${name}.`)));
}

process.exitCode = await main(process.argv.slice(2), {
  out: process.stdout,
  err: process.stderr,
  brokers,
  brokersRequired: process.env.LAB_REQUIRE_BROKERS === "1",
  signal: interrupt.signal,
});
