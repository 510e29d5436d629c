import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { Barrier, Gate } from "../src/tools/gate.ts";
import { ManualClock } from "../src/tools/manual-clock.ts";
import { seeded, shuffled } from "../src/tools/random.ts";
import { ResourceWatch } from "../src/tools/resources.ts";
import { until, within } from "../src/tools/wait.ts";

describe("waits", () => {
  test("until says what was awaited and what was seen", async () => {
    let looks = 0;
    await until(
      "3 looks",
      5_000,
      () => ++looks === 3,
      () => `${looks}`,
    );
    await expect(
      until(
        "rain",
        5,
        () => false,
        () => "sun",
      ),
    ).rejects.toThrow("Waited 5 ms for rain; saw sun.");
  });

  test("until looks once more when the machine stood still past the deadline", async () => {
    let looks = 0;
    const standStill = (): boolean => {
      const end = performance.now() + 20;
      while (performance.now() < end);
      return ++looks === 2;
    };
    await until("a second look", 15, standStill, () => `${looks}`);
    expect(looks).toBe(2);
  });

  test("within passes on results and errors, and ends the wait for others", async () => {
    await expect(within("a value", 5_000, Promise.resolve(7))).resolves.toBe(7);
    await expect(within("a value", 5_000, Promise.reject(new Error("no")))).rejects.toThrow("no");
    await expect(within("nothing", 5, new Promise(() => {}))).rejects.toThrow(
      "Waited 5 ms for nothing.",
    );
  });
});

describe("gates", () => {
  test("a gate holds until it is opened or the signal aborts", async () => {
    const gate = new Gate();
    const controller = new AbortController();
    const aborted = gate.pass(controller.signal);
    const passed = gate.pass();
    controller.abort(new Error("let go"));
    await expect(aborted).rejects.toThrow("let go");
    gate.open();
    await passed;
    expect(gate.arrived).toBe(2);
  });

  test("a barrier opens when all have come", async () => {
    const barrier = new Barrier(2);
    const first = barrier.pass();
    expect(barrier.met).toBe(false);
    await Promise.all([first, barrier.pass()]);
    expect(barrier.met).toBe(true);
  });
});

test("the manual clock calls what has come due, the earliest first", () => {
  const clock = new ManualClock();
  const called: string[] = [];
  clock.setTimeout(() => called.push("b"), 20);
  clock.setTimeout(() => called.push("a"), 10);
  clock.clearTimeout(clock.setTimeout(() => called.push("cleared"), 15));
  clock.setTimeout(() => called.push("later"), 21);
  clock.advance(20);
  expect(called).toEqual(["a", "b"]);
  expect(clock.now()).toBe(20);
});

test("random numbers are the same for the same seed, and spread", () => {
  const [a, b, other] = [seeded("x"), seeded("x"), seeded("y")].map((random) =>
    Array.from({ length: 1000 }, random),
  );
  expect(a).toEqual(b);
  expect(a).not.toEqual(other);
  expect(a?.filter((value) => value < 0.5).length).toBeGreaterThan(400);
  expect(Math.max(...(a ?? []))).toBeLessThan(1);
  const order = shuffled([1, 2, 3, 4, 5, 6, 7, 8], seeded("x"));
  expect(order).not.toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(order.sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

describe("the watch over resources", () => {
  test("finds timers and sockets opened within, and where", async () => {
    const outside = setTimeout(() => {}, 60_000);
    const server = createServer();
    await once(server.listen(0, "127.0.0.1"), "listening");
    const watch = new ResourceWatch();
    const opened = await watch.run(async () => {
      await Promise.resolve();
      const { port } = server.address() as AddressInfo;
      const socket = connect(port, "127.0.0.1");
      await once(socket, "connect");
      setTimeout(() => {}, 60_000).unref();
      return { socket, timer: setInterval(() => {}, 60_000) };
    });
    const seen = (): string => watch.alive().join("\n");
    expect(watch.alive()).toHaveLength(2);
    expect(seen()).toMatch(/TCPWRAP opened .*tools\.test\.ts/);
    expect(seen()).toMatch(/Timeout opened .*tools\.test\.ts/);
    opened.socket.destroy();
    clearInterval(opened.timer);
    await until("all to be closed", 5_000, () => watch.alive().length === 0, seen);
    watch.stop();
    clearTimeout(outside);
    server.close();
  });
});
