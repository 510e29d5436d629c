import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { findCommand } from "../../command.ts";
import type { Tool } from "../../kind.ts";

const limit = 10_000;

/** Clients in other languages, which the embedded broker is tested with. */
export const clients: readonly Tool[] = [
  {
    name: "mosquitto_pub and mosquitto_sub",
    packages: ["mosquitto-clients"],
    isThere: () => findCommand("mosquitto_sub") !== undefined,
  },
  {
    name: "Paho for Python",
    packages: ["python3-paho-mqtt"],
    isThere: () => pythons().some((python) => succeeds(python, "import paho.mqtt.client")),
  },
];

/** A system may have several: packages of the system are for its own. */
function pythons(): string[] {
  const { PATH = "" } = process.env;
  return PATH.split(delimiter).map((folder) => join(folder, "python3"));
}

function succeeds(python: string, program: string): boolean {
  return spawnSync(python, ["-c", program], { stdio: "ignore", timeout: limit }).status === 0;
}
