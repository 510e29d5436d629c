import { AsyncLocalStorage, createHook } from "node:async_hooks";

interface Tracked {
  readonly type: string;
  readonly resource: { hasRef(): boolean };
  readonly stack: string;
}

function canHoldTheProcess(resource: object): resource is { hasRef(): boolean } {
  return "hasRef" in resource && typeof resource.hasRef === "function";
}

/**
 * Finds the sockets, timers and other handles that were opened within `run` and still keep the process alive. By async
 * context, since a count over the whole process would see what the test runner and other suites open.
 */
export class ResourceWatch {
  readonly #context = new AsyncLocalStorage<ResourceWatch>();
  readonly #tracked = new Map<number, Tracked>();
  readonly #hook = createHook({
    init: (id, type, _trigger, resource) => {
      if (this.#context.getStore() !== this || !canHoldTheProcess(resource)) return;
      this.#tracked.set(id, { type, resource, stack: openedAt() });
    },
    destroy: (id) => {
      this.#tracked.delete(id);
    },
  });

  constructor() {
    this.#hook.enable();
  }

  run<T>(work: () => T): T {
    return this.#context.run(this, work);
  }

  /** How many handles were seen in all: none means that nothing could be found. */
  alive(): string[] {
    return [...this.#tracked.values()]
      .filter(({ resource }) => resource.hasRef())
      .map(({ type, stack }) => `${type} opened ${stack}`);
  }

  stop(): void {
    this.#hook.disable();
    this.#tracked.clear();
  }
}

/** The innermost frames that are not of Node itself. */
function openedAt(): string {
  const frames = (new Error().stack ?? "")
    .split("\n")
    .slice(1)
    .map((line) => line.trim());
  const own = frames.filter((frame) => !frame.includes("node:") && !frame.includes("resources.ts"));
  return own.slice(0, 3).join(" ") || "(by Node itself)";
}
