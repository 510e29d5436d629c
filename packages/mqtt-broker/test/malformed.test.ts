import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { events, start, until } from "./support/broker.ts";
import { connect, publish, RawClient, subscribe } from "./support/raw-client.ts";

const connectV5 = "101000044d5154540502003c00000361626300".slice(0, -2);
const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(" ", ""), "hex");

/** What comes in place of CONNECT: closed without an answer, or with one. */
describe("no CONNECT", () => {
  test.each([
    ["not MQTT", "474554202f20485454502f312e310d0a0d0a"],
    ["another protocol name", "100d 0005 4d51545458 05 02 003c 00 0000"],
    ["the type 0", "0000"],
    ["PUBLISH first", "3003 000161"],
    ["AUTH first", "f000"],
    ["a length of five bytes", "10ffffffff7f"],
    ["a padded length", "108000"],
    ["reserved flags of the header", "1110 00044d515454 05 02 003c 00 0003616263"],
    ["an empty CONNECT", "1000"],
    ["a CONNECT that ends within its name", "1004 00044d51"],
  ])("%s", async (_, hex) => {
    const { broker, port } = await start();
    const client = new RawClient(port, 5);
    client.write(bytes(hex));
    await client.gone();
    expect(client.inbox).toEqual([]);
    expect(broker.stats()).toMatchObject({ clients: 0, sessions: 0 });
  });

  test.each([
    ["the reserved flag", "1010 00044d515454 05 03 003c 00 0003616263", 0x81],
    ["bytes behind the end", "1011 00044d515454 05 02 003c 00 0003616263 00", 0x81],
    ["a client id that goes beyond the packet", "1010 00044d515454 05 02 003c 00 0009616263", 0x81],
    ["a client id that is not UTF-8", "1010 00044d515454 05 02 003c 00 0003ff6263", 0x81],
    ["a client id with U+0000", "1010 00044d515454 05 02 003c 00 0003610063", 0x81],
    ["a will QoS without a will", "1010 00044d515454 05 0a 003c 00 0003616263", 0x81],
    ["a will of QoS 3", "1016 00044d515454 05 1e 003c 00 0003616263 00 000177 0000", 0x81],
    ["an unknown property", "1012 00044d515454 05 02 003c 02 7e00 0003616263", 0x82],
    ["a property of PUBLISH", "1013 00044d515454 05 02 003c 03 230001 0003616263", 0x82],
    ["a property twice", "1016 00044d515454 05 02 003c 06 210001 210001 0003616263", 0x82],
    ["a receive maximum of 0", "1013 00044d515454 05 02 003c 03 210000 0003616263", 0x82],
    ["a maximum packet size of 0", "1015 00044d515454 05 02 003c 05 2700000000 0003616263", 0x82],
    ["a flag property of 2", "1012 00044d515454 05 02 003c 02 1702 0003616263", 0x82],
    ["authentication data alone", "1014 00044d515454 05 02 003c 04 160001ff 0003616263", 0x82],
    ["properties that end too late", "1010 00044d515454 05 02 003c 7f 0003616263", 0x81],
  ])("%s: CONNACK says so", async (_, hex, reason) => {
    const { broker, port } = await start();
    const client = new RawClient(port, 5);
    client.write(bytes(hex));
    expect((await client.next("connack")).reasonCode).toBe(reason);
    await client.gone();
    expect(broker.stats().sessions).toBe(0);
  });

  test("MQTT 3.1.1: a password without a user name", async () => {
    const { port } = await start();
    const client = new RawClient(port, 4);
    client.write(bytes("1012 00044d515454 04 42 003c 0003616263 000170"));
    await client.gone();
    expect(client.inbox).toEqual([]);
  });
});

test("the CONNECT that these are made from is accepted", async () => {
  const { port } = await start();
  const client = new RawClient(port, 5);
  client.write(bytes(connectV5));
  expect((await client.next("connack")).reasonCode).toBe(0);
});

describe.each([4, 5] as const)("version %i, once connected", (version) => {
  const v5 = version === 5;
  // Empty properties where version 5 has them.
  const p = v5 ? "00" : "";
  const length = (n: number): string => (v5 ? n + 1 : n).toString(16).padStart(2, "0");

  test.each([
    ["QoS 3", `36${length(5)} 000174 0001 ${p}`, 0x81],
    ["DUP at QoS 0", `38${length(3)} 000174 ${p}`, 0x81],
    ["a packet id of 0", `32${length(5)} 000174 0000 ${p}`, 0x81],
    ["no packet id", "3203 000174", 0x81],
    ["a topic that goes beyond the packet", `30${length(3)} 000974 ${p}`, 0x81],
    ["a topic that is not UTF-8", `30${length(3)} 0001ff ${p}`, 0x81],
    ["a topic with U+0000", `30${length(3)} 000100 ${p}`, 0x90],
    ["a topic with +", `30${length(3)} 00012b ${p}`, 0x90],
    ["a topic with #", `32${length(6)} 0002 2f23 0001 ${p}`, 0x90],
    ["an empty PUBLISH", "3000", 0x81],
    ["PUBREL with wrong flags", "6002 0001", 0x81],
    ["PUBACK that is too short", "4001 00", 0x81],
    ["PUBACK of packet 0", "4002 0000", 0x81],
    ["SUBSCRIBE with wrong flags", `80${length(6)} 0001 ${p} 000174 00`, 0x81],
    ["SUBSCRIBE without a filter", `82${length(2)} 0001 ${p}`, 0x81],
    ["SUBSCRIBE of packet 0", `82${length(6)} 0000 ${p} 000174 00`, 0x81],
    ["SUBSCRIBE with QoS 3", `82${length(6)} 0001 ${p} 000174 03`, 0x81],
    ["SUBSCRIBE with reserved bits", `82${length(6)} 0001 ${p} 000174 c0`, 0x81],
    ["SUBSCRIBE without options", `82${length(5)} 0001 ${p} 000174`, 0x81],
    ["SUBSCRIBE to what is not UTF-8", `82${length(6)} 0001 ${p} 0001c3 00`, 0x81],
    ["UNSUBSCRIBE without a filter", `a2${length(2)} 0001 ${p}`, 0x81],
    ["PINGREQ with contents", "c001 00", 0x81],
    ["CONNACK", "2003 000000", 0x82],
    ["SUBACK", "9003 000100", 0x82],
    ["UNSUBACK", "b002 0001", 0x82],
    ["PINGRESP", "d000", 0x82],
    ["AUTH", "f000", 0x82],
  ])("%s: disconnected, the broker lives", async (_, hex, reason) => {
    const { broker, port } = await start();
    const disconnects = events(broker, "disconnect");
    const good = await connect(port);
    await subscribe(good, "ok");
    const client = await connect(port, { version });
    client.write(bytes(hex));
    if (v5) expect(await client.disconnected()).toBe(reason);
    else await client.gone();
    expect(disconnects[0]?.[1].reasonCode).toBe(reason);
    await broker.inject([{ topic: "ok", payload: "" }]);
    await good.publishes(1);
  });
});

describe("version 5, once connected", () => {
  test.each([
    ["no topic and no alias", "3003 0000 00", 0x82],
    ["a subscription identifier from a client", "3006 000174 02 0b01", 0x81],
    ["an unknown property", "3006 000174 02 7f00", 0x81],
    ["a property of CONNECT", "3007 000174 03 210001", 0x81],
    ["a property twice", "300a 000174 06 230001 230001", 0x82],
    ["a property that goes beyond its packet", "3006 000174 02 2300", 0x81],
    ["a text property that is not UTF-8", "3008 000174 04 030001ff", 0x81],
    ["a payload format of 2", "3006 000174 02 0102", 0x82],
    ["properties longer than the packet", "3005 000174 7f 00", 0x81],
    ["a subscription identifier of 0", "8208 0001 02 0b00 000174 00", 0x82],
    ["two subscription identifiers", "820a 0001 04 0b010b02 000174 00", 0x82],
    ["retain handling of 3", "8207 0001 00 000174 30", 0x81],
    ["PUBACK with a property that does not belong", "4006 0001 00 02 0100", 0x82],
    ["PUBACK with bytes behind its properties", "4006 0001 00 00 0000", 0x81],
    ["DISCONNECT with an unknown reason", "e001 55", 0x81],
    ["DISCONNECT with bytes behind its properties", "e003 00 00 00", 0x81],
  ])("%s", async (_, hex, reason) => {
    const { port } = await start();
    const client = await connect(port);
    client.write(bytes(hex));
    expect(await client.disconnected()).toBe(reason);
  });

  test("PUBACK for QoS 2, PUBREC for QoS 1, PUBCOMP too early: protocol errors", async () => {
    const { broker, port } = await start();
    for (const [qos, answer] of [
      [2, "4002"],
      [1, "5002"],
      [2, "7002"],
    ] as const) {
      const client = await connect(port);
      await subscribe(client, "t", { qos });
      await broker.inject([{ topic: "t", payload: "", qos }]);
      const { messageId = 0 } = await client.next("publish");
      client.write(bytes(`${answer}${messageId.toString(16).padStart(4, "0")}`));
      expect(await client.disconnected()).toBe(0x82);
    }
  });

  test("acknowledgements of what was never sent are passed over", async () => {
    const { port } = await start();
    const client = await connect(port);
    client.write(bytes("4002 1234 7002 1234"));
    await client.nothing();
  });

  test("what follows DISCONNECT in the same read is not done", async () => {
    const { broker, port } = await start();
    const client = await connect(port);
    client.write(bytes("e000 3105 0001 74 00 78"));
    await client.gone();
    expect(broker.stats()).toMatchObject({ retainedMessages: 0, received: 0 });
  });

  test("what follows a fault in the same read is not done", async () => {
    const { broker, port } = await start();
    const client = await connect(port);
    client.write(bytes("f000 3103 0001 74 00".replace("3103", "3105").concat("78")));
    await client.disconnected();
    expect(broker.stats().retainedMessages).toBe(0);
  });
});

describe("fuzzed", () => {
  const valid = {
    4: [
      "8206 0001 000174 01",
      "3203 000174".replace("3203", "3207").concat("0001 7879"),
      "3406 000174 0002 7a",
      "6202 0002",
      "a205 0003 000174",
      "4002 0001",
      "c000",
    ],
    5: [
      "8209 0001 02 0b05 000174 01",
      "3212 000174 0001 0a 26 0001 61 0001 62 01 01 7879 7a".replace("3212", "3213"),
      "3409 000174 0002 02 0101 7a",
      "3009 000174 03 230001 7a7a".replace("3009", "300a").concat("7a"),
      "6202 0002",
      "a206 0003 00 000174",
      "4004 0001 10 00",
      "e000",
    ],
  };

  /** Reproducible by its seed. */
  function* random(seed: string): Generator<number, never> {
    for (let round = 0; ; round++) {
      yield* createHash("sha512").update(`${seed} ${round}`).digest();
    }
  }

  test.each(["a", "b", "c", "d"])(
    "by seed %s: no crash, and everybody else is served",
    async (seed) => {
      const { broker, port } = await start({ maxPacketSize: 100_000, maxQueuedMessages: 1_000 });
      const good = await connect(port);
      await subscribe(good, "good", { qos: 1 });
      const source = random(seed);
      const next = (below: number): number =>
        (source.next().value * 256 + source.next().value) % below;
      for (let round = 0; round < 150; round++) {
        const version = next(2) === 0 ? 4 : 5;
        const client = new RawClient(port, version);
        const parser = client.socket.listeners("data");
        for (const listener of parser) client.socket.off("data", listener as () => void);
        client.socket.resume();
        const first = version === 5 ? connectV5 : "100f 00044d515454 04 02 003c 0003616263";
        const packets = [next(10) === 0 ? "" : first];
        for (let n = next(6); n >= 0; n--)
          packets.push(valid[version][next(valid[version].length)] as string);
        const stream = bytes(packets.join(""));
        for (let mutations = next(4); mutations > 0; mutations--) {
          // Mostly behind CONNECT, or everything would be refused at once.
          const from =
            next(5) === 0 ? 0 : Math.min(bytes(packets[0] as string).length, stream.length - 1);
          stream[from + next(stream.length - from)] = next(256);
        }
        const cut = next(stream.length);
        client.write(stream.subarray(0, cut));
        client.write(stream.subarray(cut, next(4) === 0 ? next(stream.length) : undefined));
        if (next(2) === 0)
          client.write(Buffer.from(Array.from({ length: next(40) }, () => next(256))));
        client.socket.end();
        await client.gone();
      }
      expect(await publish(await connect(port), "good", "still here", { qos: 1 })).toBe(0);
      expect((await good.next("publish")).payload.toString()).toBe("still here");
      await until(() => broker.stats().clients <= 2);
    },
  );
});
