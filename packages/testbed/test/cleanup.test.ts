import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { startBroker } from "@lab/testbed";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { client, eventually, privateFolder, processesWith, withMosquitto } from "./support.ts";

const built = fileURLToPath(new URL("../dist/index.js", import.meta.url));

const program = `
  const { startBroker } = await import(process.argv[1]);
  const broker = await startBroker("mqtt", { how: "native" });
  if (process.argv[2] === "restarted") await broker.restart();
  if (process.argv[2] === "killed") await broker.kill();
  console.log("ready " + broker.directUrl);
  setTimeout(() => {
    if (process.argv[2] === "crash") throw new Error("a bug in a test");
  }, 100);
`;

/** A process that starts a broker in `folder` and never stops it. */
async function careless(folder: string, mode: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", program, built, mode], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, TMPDIR: folder },
    detached: true,
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [line] = await once(child.stdout?.setEncoding("utf8") ?? child, "data");
  expect(line).toContain("ready");
  return child;
}

describe.runIf(withMosquitto)("nothing is left behind", () => {
  test("after stop", async () => {
    const folder = privateFolder();
    vi.stubEnv("TMPDIR", folder);
    const broker = await startBroker("mqtt", { how: "native" }).finally(() => vi.unstubAllEnvs());
    const mosquitto = processesWith(folder).filter((line) => line.includes("mosquitto -c"));
    expect(mosquitto).toHaveLength(1);
    expect(readdirSync(folder)).toHaveLength(1);
    await broker.stop();
    expect(processesWith(folder)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
    await expect(client(broker.url)).rejects.toThrow("ECONNREFUSED");
    await expect(client(broker.directUrl)).rejects.toThrow("ECONNREFUSED");
  });

  test.each([
    ["SIGKILL", "started"],
    ["SIGKILL", "restarted"],
    ["SIGKILL", "killed"],
    ["SIGTERM", "started"],
    ["SIGINT", "started"],
  ] as const)("when the process dies of %s, its broker %s", async (signal, mode) => {
    const folder = privateFolder();
    const child = await careless(folder, mode);
    expect(readdirSync(folder)).toHaveLength(1);
    expect(processesWith(`${folder}/`)).not.toEqual([]);
    // To the whole process group, as Ctrl-C in a terminal does.
    process.kill(-(child.pid ?? 0), signal);
    await once(child, "exit");
    await eventually("processes end", () => processesWith(`${folder}/`).length === 0);
    await eventually("data is removed", () => readdirSync(folder).length === 0);
  });

  test("when the process dies of an exception", async () => {
    const folder = privateFolder();
    const child = await careless(folder, "crash");
    const [code] = await once(child, "exit");
    expect(code).toBe(1);
    await eventually("processes end", () => processesWith(`${folder}/`).length === 0);
    await eventually("data is removed", () => readdirSync(folder).length === 0);
  });
});
