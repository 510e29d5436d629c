import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "../src/free-port.ts";
import { openProxy, type TcpProxy } from "../src/proxy.ts";
import { eventually } from "./support.ts";

interface Bench {
  readonly proxy: TcpProxy;
  /** A client of the proxy, the server's end of its connection, and the proxy's own socket towards the server. */
  open(): Promise<{ near: Socket; far: Socket; target: Socket }>;
}

async function bench(): Promise<Bench> {
  const server = createServer({ allowHalfOpen: true });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  let target: Socket | undefined;
  const proxy = await openProxy(() => {
    target = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    return target;
  });
  onTestFinished(async () => {
    await proxy.close();
    server.close();
  });
  return {
    proxy,
    open: async () => {
      const accepted = once(server, "connection");
      const near = connect({ port: proxy.port, host: "127.0.0.1", allowHalfOpen: true });
      const [far] = (await accepted) as [Socket];
      for (const socket of [near, far]) socket.on("error", () => undefined);
      onTestFinished(() => void far.destroy());
      onTestFinished(() => void near.destroy());
      return { near, far, target: target as Socket };
    },
  };
}

function received(socket: Socket): () => string {
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
  });
  return () => text;
}

test("forwards both ways, and an end one way only", async () => {
  const { open } = await bench();
  const { near, far } = await open();
  const atFar = received(far);
  const atNear = received(near);
  near.end("question");
  await once(far, "end");
  expect(atFar()).toBe("question");
  far.end("answer");
  await once(near, "end");
  expect(atNear()).toBe("answer");
});

test("holds a fast sender back for a slow reader, and loses nothing", async () => {
  const { open } = await bench();
  const { near, far } = await open();
  const size = 32 * 1024 * 1024;
  near.end(Buffer.alloc(size, 1));
  await new Promise((resolve) => setTimeout(resolve, 200)); // nobody reads at the far end yet
  expect(near.bytesWritten - near.writableLength).toBeLessThanOrEqual(size);
  expect(near.writableLength).toBeGreaterThan(0);
  let bytes = 0;
  far.on("data", (chunk) => {
    bytes += chunk.length;
  });
  await once(far, "end");
  expect(bytes).toBe(size);
});

test("cut resets both ends and accepts new connections", async () => {
  const { proxy, open } = await bench();
  const { near, far } = await open();
  const before = received(far);
  near.resume().write("before");
  await eventually("the connection is established", () => before() === "before");
  const errors = [near, far].map((socket) => once(socket, "error"));
  await proxy.cut();
  for (const [error] of await Promise.all(errors)) {
    expect(error).toMatchObject({ code: "ECONNRESET" });
  }
  const again = await open();
  const atFar = received(again.far);
  again.near.write("again");
  await eventually("it is forwarded", () => atFar() === "again");
});

test.each([0, 1, 2, 3, 4, 5])(
  "cut closes a connection whose end it is just passing on (%d ticks after it came)",
  async (ticks) => {
    const { proxy, open } = await bench();
    const { near, far, target } = await open();
    const cut = new Promise<void>((resolve, reject) => {
      const wait = (left: number): void => {
        if (left > 0) process.nextTick(wait, left - 1);
        else proxy.cut().then(resolve, reject);
      };
      target.once("end", () => wait(ticks));
    });
    near.resume();
    const closed = new Promise((resolve) => far.once("close", resolve));
    far.end("bye");
    await cut;
    await closed;
  },
);

test("pause holds data, ends and new connections; resume lets them pass", async () => {
  const { proxy, open } = await bench();
  const { near, far } = await open();
  const atFar = received(far);
  proxy.pause();
  near.end("held");
  let opened = false;
  const late = open().then((pair) => {
    opened = true;
    return pair;
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(atFar()).toBe("");
  expect(far.readableEnded).toBe(false);
  expect(opened).toBe(false);
  proxy.resume();
  await once(far, "end");
  expect(atFar()).toBe("held");
  const second = await late;
  const atSecond = received(second.far);
  second.near.write("late");
  await eventually("the new connection is forwarded", () => atSecond() === "late");
});

test("refuses by reset when nothing listens at the target", async () => {
  const port = await freePort();
  const proxy = await openProxy(() => connect({ port, host: "127.0.0.1", allowHalfOpen: true }));
  const near = connect(proxy.port, "127.0.0.1");
  await expect(once(near, "close")).rejects.toMatchObject({ code: "ECONNRESET" });
  await proxy.close();
});

test("close ends everything, with connections open, held and being opened", async () => {
  const { proxy, open } = await bench();
  await open();
  proxy.pause();
  const waiting = connect(proxy.port, "127.0.0.1");
  waiting.on("error", () => undefined);
  await once(waiting, "connect");
  const gone = new Promise((resolve) => waiting.once("close", resolve));
  await proxy.close();
  await gone;
  const refused = connect(proxy.port, "127.0.0.1");
  await expect(once(refused, "connect")).rejects.toMatchObject({ code: "ECONNREFUSED" });
});
