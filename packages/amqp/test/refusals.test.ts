import { inspect } from "node:util";
import type { LabError } from "@lab/core";
import type { RunningBroker } from "@lab/testbed";
import { type ChannelModel, connect } from "amqplib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { publisher, queueAt, raw, subscribe, texts } from "./support/clients.ts";
import { rabbitMq, withRabbitMq } from "./support/rabbitmq.ts";

const credentials = { username: "rig", password: "right-secret" };

describe.skipIf(!withRabbitMq)("refusals", () => {
  let broker: RunningBroker;
  beforeAll(async () => {
    broker = await rabbitMq({ credentials });
    await broker.admin?.("add_user", "limited", "limited-secret");
    await broker.admin?.("set_permissions", "limited", "^$", "^$", "^allowed.*$");
  });
  afterAll(() => broker.stop());

  /** Rejects at once: long before the time limit of the connection. */
  const refusalOf = async (options: Partial<Parameters<typeof subscribe>[0]>) => {
    const start = performance.now();
    const error = await subscribe({ url: broker.url, queue: "q", ...options }).then(
      () => expect.unreachable("it was accepted"),
      (thrown: LabError) => thrown,
    );
    expect(performance.now() - start).toBeLessThan(10_000);
    expect(inspect(error, { depth: 9 })).not.toMatch(/secret/);
    return error;
  };
  const as = (user: string, password: string) =>
    broker.url.replace(/\/\/.*@/, `//${user}:${password}@`);

  test("a queue that does not exist", async () => {
    const error = await refusalOf({ queue: "no-such-queue" });
    expect(error).toMatchObject({ code: "SOURCE_MISSING" });
    expect(error.message).toContain("no queue 'no-such-queue' in vhost '/'");
  });

  test("a wrong password", async () => {
    const error = await refusalOf({ url: as("rig", "wrong-secret") });
    expect(error).toMatchObject({ code: "ACCESS_REFUSED" });
  });

  test("a virtual host that does not exist, and one that the user may not use", async () => {
    for (const vhost of ["no-such-vhost", "closed"]) {
      if (vhost === "closed") await broker.admin?.("add_vhost", vhost);
      const error = await refusalOf({ url: `${broker.url}/${vhost}` });
      expect(error).toMatchObject({ code: "ACCESS_REFUSED" });
      expect(error.message).toContain("virtual host");
    }
  });

  test("a queue that the user may not read", async () => {
    const queue = await queueAt(broker.url);
    const error = await refusalOf({ url: as("limited", "limited-secret"), queue });
    expect(error).toMatchObject({ code: "ACCESS_REFUSED" });
    expect(error.message).toContain(queue);
  });

  test("a queue that belongs to another connection alone", async () => {
    const { channel } = await raw(broker.url);
    const { queue } = await channel.assertQueue("", { exclusive: true });
    expect(await refusalOf({ queue })).toMatchObject({ code: "ACCESS_REFUSED" });
  });

  test("a queue that is declared otherwise than it is", async () => {
    const queue = await queueAt(broker.url);
    const error = await refusalOf({
      queue,
      declare: (channel, name) => channel.assertQueue(name, { maxLength: 7 }),
    });
    expect(error).toMatchObject({ code: "INVALID_OPTION" });
    expect(error.message).toContain("inequivalent arg 'x-max-length'");
  });

  test("an exchange that `declare` binds to and does not exist", async () => {
    const queue = await queueAt(broker.url);
    const error = await refusalOf({
      queue,
      declare: (channel, name) => channel.bindQueue(name, "no-such-exchange", "#"),
    });
    expect(error).toMatchObject({ code: "SOURCE_MISSING" });
    expect(error.message).toContain("no-such-exchange");
  });

  test("a `declare` that throws", async () => {
    const declare = () => {
      throw new TypeError("a mistake of the user's");
    };
    const error = await refusalOf({ declare });
    expect(error).toMatchObject({ code: "INVALID_OPTION" });
    expect(error.message).toContain("a mistake of the user's");
  });

  test("a broker that is not there", async () => {
    const error = await refusalOf({ url: "amqp://user:secret@127.0.0.1:1" });
    expect(error).toMatchObject({ code: "BROKER_UNREACHABLE" });
    expect(error.message).toContain("127.0.0.1:1");
  });

  test("TLS where there is none", async () => {
    const error = await refusalOf({ url: broker.url.replace("amqp:", "amqps:") });
    expect(error).toMatchObject({ code: "BROKER_UNREACHABLE" });
  });

  test.each([
    "amqp//user:secret@host",
    "http://user:secret@host",
    "user:secret@host",
    "amqp://user:secret@host:99999",
  ])("a URL that is none: %j", async (url) => {
    expect(await refusalOf({ url })).toMatchObject({ code: "INVALID_OPTION" });
    const parsed = await refusalOf({
      connect: (defaults) => connect(new URL(`//${url}`).href, { ...defaults }),
    });
    expect(parsed).toMatchObject({ code: "INVALID_OPTION" });
  });

  test("a connect that gives back something else", async () => {
    const { connection, channel } = await raw(broker.url);
    for (const given of [undefined, connection.connection, channel]) {
      const error = await refusalOf({ connect: async () => given as unknown as ChannelModel });
      expect(error).toMatchObject({ code: "INVALID_OPTION" });
    }
  });

  test("a connection that recovers by itself: its consumers would not come back", async () => {
    const error = await refusalOf({
      connect: async (defaults) => {
        const recovering: unknown = await connect(broker.url, { ...defaults, recovery: true });
        return recovering as ChannelModel;
      },
    });
    expect(error).toMatchObject({ code: "INVALID_OPTION" });
    expect(error.message).toContain("recovery");
  });

  test("a connection that is in use by another session", async () => {
    const queue = await queueAt(broker.url);
    const shared = connect(broker.url);
    const first = await subscribe({ url: broker.url, queue, connect: () => shared });
    const error = await refusalOf({ queue, connect: () => shared });
    expect(error).toMatchObject({ code: "INVALID_OPTION" });
    await publisher(broker.url).publish(queue, texts(1));
    await first.inbox.received(1);
  });

  test("a publisher to an exchange that does not exist", async () => {
    const publishing = publisher(broker.url, { exchange: "no-such-exchange" }).publish(
      "x",
      texts(2),
    );
    await expect(publishing).rejects.toMatchObject({
      code: "PUBLISH_FAILED",
      failures: [
        { index: 0, error: { code: "SOURCE_MISSING" } },
        { index: 1, error: { code: "SOURCE_MISSING" } },
      ],
    });
  });

  test("a publisher that may not publish", async () => {
    const publishing = publisher(as("limited", "limited-secret")).publish("x", texts(2));
    await expect(publishing).rejects.toMatchObject({
      failures: [
        { index: 0, error: { code: "ACCESS_REFUSED" } },
        { index: 1, error: { code: "ACCESS_REFUSED" } },
      ],
    });
  });

  test("a publisher with a wrong password; the secret is not shown", async () => {
    const publishing = publisher(as("rig", "wrong-secret")).publish("x", texts(1));
    const error = await publishing.catch((thrown) => thrown);
    expect(error).toMatchObject({ failures: [{ error: { code: "ACCESS_REFUSED" } }] });
    expect(inspect(error, { depth: 9 })).not.toMatch(/secret/);
  });
});
