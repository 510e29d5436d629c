import { describe, expect, it } from "vitest";
import { World } from "../support/world.ts";

type Then = (resolve: (value?: unknown) => void, reject: (error: Error) => void) => unknown;

/** `object`, with a `then` of its own. */
function thenable<T extends object>(then: Then, object: T = {} as T): T {
  const name = "then";
  return Object.defineProperty(object, name, { value: then });
}

class OddPromise<T> extends Promise<T> {}

const later = (callback: () => void): void => void setImmediate(callback);
const refuse: Then = (_, reject) => reject(new Error("no"));

/** What a handler returns, and whether it has succeeded then. */
const results: [name: string, result: () => unknown, succeeds: boolean][] = [
  ["calls back at once", () => thenable((resolve) => resolve()), true],
  [
    "calls back twice, and then throws",
    () =>
      thenable((resolve, reject) => {
        resolve();
        resolve();
        reject(new Error("too late"));
        throw new Error("too late");
      }),
    true,
  ],
  ["rejects", () => thenable(refuse), false],
  ["is a function, and rejects", () => thenable(refuse, () => {}), false],
  [
    "is a promise that calls back twice",
    () =>
      thenable((resolve) => {
        later(resolve);
        later(resolve);
      }, OddPromise.resolve()),
    true,
  ],
  [
    "is a promise that calls back at once",
    () => thenable((resolve) => resolve(), OddPromise.resolve()),
    true,
  ],
  ["is a promise that rejects instead", () => thenable(refuse, OddPromise.resolve()), false],
  [
    "throws when it is looked at",
    () => {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      return proxy;
    },
    false,
  ],
];

describe("what a handler returns is awaited as `await` would: what", () => {
  const plan = Array.from({ length: 12 }, (_, index) => ({ key: String(index % 3) }));

  it.each(results)("%s", async (_, result, succeeds) => {
    const world = new World(plan, { lanes: 2, handler: result });
    const stats = await world.run();
    expect(stats).toMatchObject({
      handled: succeeds ? plan.length : 0,
      deadLettered: succeeds ? 0 : plan.length,
      unsettled: 0,
    });
    expect(stats.lanes.filter(({ busy }) => busy)).toEqual([]);
  });
});

it("a handler waits for what a deserializer's thenable gives, and runs once", async () => {
  const order: string[] = [];
  const world = new World([{ key: "a" }], {
    deserialize: () =>
      thenable<PromiseLike<number>>((resolve) => {
        later(() => resolve(7));
        later(() => resolve(8));
      }),
    handler: (value) => {
      order.push(`handled ${value}`);
    },
    watch: { settling: (_, outcome) => order.push(outcome) },
  });
  await world.run();
  expect(order).toEqual(["handled 7", "ack"]);
});
