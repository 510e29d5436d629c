import { once } from "node:events";
import { connect as connectTcp, type Socket } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeAssured, encodeAssuredParam } from "../src/smf/assured-control.ts";
import { u8, u32, u64, zeroTerminated } from "../src/smf/bytes.ts";
import { encodeClientControl, encodeClientParam } from "../src/smf/client-control.ts";
import { encodeFrame, encodeParam } from "../src/smf/frame.ts";
import { AssuredParam, AssuredType, HeaderParam, Protocol } from "../src/smf/protocol.ts";
import { started } from "./support/broker.ts";
import { bind, connect, eventually } from "./support/client.ts";

const nothing = Buffer.alloc(0);
const tag = Buffer.from([0x23, 0, 0, 1]);
const assured = (type: number, ...params: readonly Buffer[]): Buffer =>
  encodeFrame(Protocol.assuredCtrl, [tag], encodeAssured(type, params));
const param = encodeAssuredParam;

const login = encodeFrame(
  Protocol.clientCtrl,
  [encodeParam(HeaderParam.userName, Buffer.from("dQ=="))],
  encodeClientControl(0, [encodeClientParam(5, zeroTerminated("fuzzer"))]),
);

/** One of everything that a client sends once it has logged in. */
const frames: readonly Buffer[] = [
  encodeFrame(Protocol.keepAlive, [], nothing),
  encodeFrame(Protocol.subscriptions, [tag], Buffer.from("80000000080c6100", "hex")),
  encodeFrame(Protocol.subscriptions, [tag], Buffer.from("820000000e0c02710005612f3e00", "hex")),
  assured(AssuredType.openPublisher, param(AssuredParam.window, u8(50))),
  assured(
    AssuredType.bind,
    param(AssuredParam.queueName, zeroTerminated("fuzzed")),
    param(AssuredParam.window, u8(10)),
    param(AssuredParam.lastReceived, u64(0)),
    param(AssuredParam.wantFlowChange, u8(1)),
  ),
  assured(
    AssuredType.acknowledge,
    param(AssuredParam.flowId, u32(2)),
    param(AssuredParam.lastAcked, u64(2)),
    param(AssuredParam.window, u8(10)),
    param(AssuredParam.applicationAck, Buffer.concat([u64(1), u64(2), u8(1)])),
  ),
  assured(AssuredType.create, param(AssuredParam.queueName, zeroTerminated("other"))),
  assured(AssuredType.delete, param(AssuredParam.queueName, zeroTerminated("other"))),
  assured(AssuredType.unbind, param(AssuredParam.flowId, u32(2))),
  encodeFrame(
    Protocol.message,
    [
      encodeParam(HeaderParam.topic, zeroTerminated("#P2P/QUE/fuzzed")),
      encodeParam(HeaderParam.messageId, u64(1)),
      encodeParam(HeaderParam.flowId, u32(1)),
      encodeParam(HeaderParam.contentSummary, Buffer.from([0x42, 20])),
    ],
    Buffer.alloc(20, 1),
    { flags: 0x10 },
  ),
];

/** Several frames with some bytes changed, cut off or put in. */
const mutated = fc
  .record({
    loggedIn: fc.boolean(),
    chosen: fc.array(fc.nat(frames.length - 1), { minLength: 1, maxLength: 12 }),
    changes: fc.array(fc.tuple(fc.nat(5_000), fc.nat(255)), { maxLength: 6 }),
    cutAt: fc.option(fc.nat(2_000), { nil: undefined }),
    noise: fc.uint8Array({ maxLength: 30 }),
  })
  .map(({ loggedIn, chosen, changes, cutAt, noise }) => {
    const stream = Buffer.concat([
      ...(loggedIn ? [login] : []),
      ...chosen.map((index) => frames[index] as Buffer),
      Buffer.from(noise),
    ]);
    for (const [at, value] of changes) stream[at % stream.length] = value;
    return stream.subarray(0, cutAt);
  });

async function open(port: number): Promise<Socket> {
  const socket = connectTcp(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.resume(); // Or it would never see the end.
  await once(socket, "connect");
  return socket;
}

test("whatever is sent, the broker goes on serving those who speak SMF", async () => {
  const broker = await started();
  broker.createQueue("fuzzed", { access: "non-exclusive" });
  broker.createQueue("good");
  const client = await connect(broker);
  const consumer = await bind(client, "good");
  let turn = 0;
  await fc.assert(
    fc.asyncProperty(mutated, async (stream) => {
      const socket = await open(broker.port);
      socket.end(stream);
      await once(socket, "close");
      client.publish("good", `after ${++turn}`);
      await eventually("the good message", () => consumer.bodies.includes(`after ${turn}`));
      for (const message of consumer.messages.splice(0)) message.acknowledge();
    }),
    { numRuns: 300 },
  );
  expect(client.events).not.toContain("RECONNECTING_NOTICE");
  expect(broker.refusedFrames.length).toBeGreaterThan(0);
  expect(broker.refusedFrames.length).toBeLessThanOrEqual(100);
});

const malformed: Readonly<Record<string, Buffer>> = {
  "that is another protocol": Buffer.from("GET / HTTP/1.1\r\n\r\n"),
  "whose header is longer than it": Buffer.concat([Buffer.from([3, 11, 0, 1]), u32(99), u32(12)]),
  "that announces a gigabyte": Buffer.concat([Buffer.from([3, 13, 0, 1]), u32(12), u32(2 ** 30)]),
  "before the login": frames[0] as Buffer,
  "of a protocol that the double does not speak": Buffer.concat([
    login,
    encodeFrame(0x06, [], nothing),
  ]),
  "with a bind that names nothing": Buffer.concat([login, assured(AssuredType.bind)]),
  "with an acknowledgement of no flow": Buffer.concat([login, assured(AssuredType.acknowledge)]),
  "with a message id of three bytes": Buffer.concat([
    login,
    assured(AssuredType.openPublisher, param(AssuredParam.lastSent, Buffer.from([1, 2, 3]))),
  ]),
};

test.for(Object.entries(malformed))(
  "a frame %s closes its connection, and is logged",
  async ([, bytes]) => {
    const lines: string[] = [];
    const broker = await started({ log: (line) => lines.push(line) });
    const socket = await open(broker.port);
    socket.write(bytes);
    await once(socket, "close");
    expect(broker.refusedFrames).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith("refused: "))).toHaveLength(1);
  },
);
