import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { laneOf, lanes } from "../../src/engine/contender.ts";
import { contenders } from "../../src/engine/contenders.ts";
import { buildMessages } from "../../src/engine/messages.ts";

test.each(contenders.map((contender) => [contender.name, contender] as const))(
  "%s handles every message, more than the window and fewer",
  async (_, contender) => {
    for (const count of [1, 1000]) {
      const run = await contender.prepare(buildMessages(count, 10));
      await run.start();
    }
  },
);

test("the versions of the peers are those that are installed", () => {
  const manifest = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
  ) as { dependencies: Record<string, string> };
  const peers = contenders.flatMap(({ peer }) => (peer === null ? [] : [peer]));
  expect(peers).toHaveLength(4);
  for (const peer of peers) {
    const [name, version] = peer.split("@");
    expect(manifest.dependencies[name ?? ""]).toBe(version);
  }
});

test("messages have round-robin keys, and each is an object of its own", () => {
  const messages = buildMessages(5, 2);
  expect(messages.map(({ message }) => message.key)).toEqual([
    "key-0",
    "key-1",
    "key-0",
    "key-1",
    "key-0",
  ]);
  expect(new Set(messages).size).toBe(5);
});

test("keys spread over all lanes of the peers, each key on one", () => {
  const messages = buildMessages(2000, 1000);
  const found = messages.map(laneOf);
  expect(new Set(found).size).toBe(lanes);
  expect(found.slice(1000)).toEqual(found.slice(0, 1000));
});
