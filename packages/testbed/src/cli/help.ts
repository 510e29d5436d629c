import { brokerNames } from "../kinds/index.ts";

export const help: string = `Usage: npm run brokers -- <command> [names] [options]

Brokers: ${brokerNames.join(", ")}. Without names: all of them.

  install [names] [--dry-run]  Installs the native servers from Debian's packages (apt-get, with sudo unless you are
                               root), after saying what it is going to do. --dry-run: only says it.
  start [names]                Starts brokers in the background, on ports of their own, and prints the line that makes
                               tests and benchmarks use them: export MQTT_URL=...
  status [names]               What runs, or what would be used: product, version, and where it comes from.
  stop [names]                 Ends what start has started, and removes its data.

Tests and benchmarks take, in this order: the broker whose URL is in the environment (MQTT_URL), docker compose when an
engine answers, an installed server, an embedded broker. They find what start has started through the environment only:
without the export line they start brokers of their own.`;
