import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const packages = fileURLToPath(new URL("./packages/", import.meta.url));

// Tests read every workspace package from source, so that one copy of a class is in play and
// a stale build cannot make a test pass. Child processes that a test spawns use the built files.
export default defineConfig({
  resolve: {
    alias: [
      { find: /^@lab\/([^/]+)$/, replacement: `${packages}$1/src/index.ts` },
      { find: /^@lab\/([^/]+)\/([^/]+)$/, replacement: `${packages}$1/src/$2/index.ts` },
    ],
  },
  test: {
    include: [
      "packages/*/test/**/*.test.ts",
      "apps/*/test/**/*.test.ts",
      "examples/*/test/**/*.test.ts",
      "test/**/*.test.ts",
    ],
    // Most of the time tests wait for a broker, or for nothing to happen.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
