import { describe, expect, it } from "vitest";
import { type Settings, World } from "../support/world.ts";

describe("a message fails, and no other, whatever is thrown:", () => {
  const good = { key: "good" };
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const throwing = {
    get: () => {
      throw new Error("thrown by a getter");
    },
  };
  it.each<[string, unknown]>([
    ["undefined", undefined],
    ["an object without a prototype", Object.create(null)],
    ["a revoked proxy", revoked.proxy],
    ["an Error whose message is no text", Object.assign(new Error("x"), { message: 42 })],
    ["an Error whose message throws", Object.defineProperty(new Error("x"), "message", throwing)],
  ])("%s", async (_, thrown) => {
    const faults: Settings[] = [
      {
        handler: () => {
          throw thrown;
        },
      },
      { handler: () => Promise.reject(thrown) },
      {
        key: () => {
          throw thrown;
        },
      },
      {
        deserialize: () => {
          throw thrown;
        },
      },
    ];
    for (const fault of faults) {
      const world = new World([good, good], fault);
      expect(await world.run()).toMatchObject({ deadLettered: 2, unsettled: 0 });
      expect(await world.deadLetters()).toHaveLength(2);
    }
  });
});

it("an object that is no Error is known by its message", async () => {
  const handler = (): never => {
    throw { message: "out of stock", status: 409 };
  };
  const world = new World([{ key: "a" }], { handler });
  await world.run();
  expect(await world.deadLetters()).toMatchObject([{ error: "out of stock" }]);
});
