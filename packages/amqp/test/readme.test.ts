import { readFileSync } from "node:fs";
import { declaredOptions, documentedOptions, Inbox } from "@lab/testbed/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { raw } from "./support/clients.ts";
import { rabbitMq, withRabbitMq } from "./support/rabbitmq.ts";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const readme = read("../README.md");
const source = read("../src/options.ts");

describe("the README", () => {
  test.for([
    ["amqpSubscriber", "AmqpSubscriberOptions"],
    ["amqpPublisher", "AmqpPublisherOptions"],
  ] as const)("has every option of %s with its default", ([title, name]) => {
    expect(Object.keys(declaredOptions(source, name)).length).toBeGreaterThan(5);
    expect(documentedOptions(readme, title)).toEqual(declaredOptions(source, name));
  });

  test("tells the defaults that apply", () => {
    const { backoff, ...told } = {
      ...documentedOptions(readme, "amqpSubscriber"),
      ...documentedOptions(readme, "amqpPublisher"),
    };
    const [, base, cap] = /base: (\S+), cap: (\S+) }/.exec(backoff ?? "") ?? [];
    for (const [name, value] of Object.entries({ ...told, base, cap })) {
      if (value === "") continue;
      const applied = [`${name}: options.${name} ?? ${value},`, `${name} = ${value}`];
      expect(
        applied.some((code) => source.includes(code)),
        `${name}: ${value}`,
      ).toBe(true);
    }
  });

  test("shows no code but pieces of the programs that are run here", () => {
    const blocks = [...readme.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code = ""]) => code);
    expect(blocks).toHaveLength(2);
    const programs = [read("readme/orders.ts"), read("readme/cluster.ts")];
    for (const code of blocks)
      expect(programs.some((program) => program.includes(code))).toBe(true);
  });
});

describe.skipIf(!withRabbitMq)("the programs of the README", () => {
  test("consume what they publish, in order", async () => {
    await using broker = await rabbitMq();
    const { connection, channel } = await raw(broker.directUrl);
    await channel.assertQueue("orders");
    process.env.AMQP_OF_README = broker.url;
    const { shipped } = await import("./readme/orders.ts");
    expect(shipped).toEqual(["42: chair", "42: table"]);
    expect((await channel.checkQueue("orders")).messageCount).toBe(0);
    await connection.close();
  });

  test("declare their queue at the host that is there, over TLS", async () => {
    await using broker = await rabbitMq({ tls: true });
    process.env.AMQP_HOSTS_OF_README = JSON.stringify(["amqps://127.0.0.1:1", broker.url]);
    process.env.AMQP_CA_OF_README = broker.ca;
    const { subscriber } = await import("./readme/cluster.ts");
    const inbox = new Inbox();
    const subscription = await subscriber.subscribe("orders", { window: 4 }, inbox);
    onTestFinished(() => subscription.close());
    const { connection, channel } = await raw(broker.url, { ca: broker.ca });
    channel.sendToQueue("orders", Buffer.from("chair"));
    await inbox.received(1);
    expect(inbox.deliveries[0]).toMatchObject({ redelivered: false, deliveryCount: 1 });
    await subscription.close();
    await connection.close();
  });
});
