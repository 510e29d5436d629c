import { afterEach, expect, test, vi } from "vitest";
import { type ContractCapabilities, contract } from "../src/index.ts";
import { memoryCapabilities, memoryRig } from "../src/memory/index.ts";

const name = "never registered";

function register(changed: Record<string, unknown>): () => void {
  const capabilities = { ...memoryCapabilities, ...changed } as ContractCapabilities;
  return () => contract({ name, capabilities, rig: memoryRig });
}

afterEach(() => {
  vi.unstubAllEnvs();
});

test.each([{ cut: false }, { restart: "" }, { competing: undefined }, { keepAliveMs: 0 }])(
  "refuses the capabilities %o: a skip needs a reason",
  (changed) => {
    const [capability] = Object.keys(changed);
    expect(register(changed)).toThrowError(
      expect.objectContaining({
        code: "INVALID_OPTION",
        message: expect.stringContaining(`capabilities.${capability}`),
      }),
    );
  },
);

test.each([0, -1, Number.NaN])("refuses the deadline %d", (deadline) => {
  const options = { name, capabilities: memoryCapabilities, rig: memoryRig, deadline };
  expect(() => contract(options)).toThrowError(expect.objectContaining({ code: "INVALID_OPTION" }));
});

test.each(["0", "x", "1.5"])("refuses CONTRACT_STRESS=%s", (copies) => {
  vi.stubEnv("CONTRACT_STRESS", copies);
  expect(register({})).toThrowError(
    expect.objectContaining({
      code: "INVALID_OPTION",
      message: expect.stringContaining("CONTRACT_STRESS"),
    }),
  );
});
