import type { Command } from "../command.ts";

export const engineCommand: Command = {
  name: "engine",
  summary: "measures the lane engine against others, with a handler that does nothing",
  async run() {
    return 0;
  },
};
