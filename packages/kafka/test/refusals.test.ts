import { setTimeout as sleep } from "node:timers/promises";
import { kafkaPublisher, kafkaSubscriber } from "@lab/kafka";
import kafkajs, { Kafka } from "kafkajs";
import { describe, expect, test } from "vitest";
import { Inbox } from "./support/inbox.ts";
import { useKafka, withKafka } from "./support/kafka.ts";

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;

describe("options that cannot work", () => {
  const kafka = new Kafka({ brokers: ["127.0.0.1:1"] });
  const good = { kafka, groupId: "g" };

  test.each([
    ["kafka", { ...good, kafka: {} as Kafka }],
    ["kafka", { ...good, kafka: undefined as unknown as Kafka }],
    ["groupId", { ...good, groupId: "" }],
    ["startFrom", { ...good, startFrom: "middle" as "end" }],
    ["startFrom", { ...good, startFrom: new Date("never") }],
    ["commitInterval", { ...good, commitInterval: 0 }],
    ["commitInterval", { ...good, commitInterval: 2 ** 40 }],
    ["completionsInMetadata", { ...good, completionsInMetadata: 1 as unknown as boolean }],
    ["connectTimeout", { ...good, connectTimeout: Number.NaN }],
    ["consumer", { ...good, consumer: "fast" as unknown as object }],
    ["consumer.groupId", { ...good, consumer: { groupId: "other" } as object }],
    ["consumer.retry", { ...good, consumer: { retry: { retries: 0 } } as object }],
    [
      "consumer.allowAutoTopicCreation",
      { ...good, consumer: { allowAutoTopicCreation: true } as object },
    ],
  ])("of a subscriber: %s", (name, options) => {
    expect(() => kafkaSubscriber(options)).toThrow(
      expect.objectContaining({
        code: "INVALID_OPTION",
        message: expect.stringContaining(`\`${name}\``),
      }),
    );
  });

  test.each([
    ["kafka", { kafka: "127.0.0.1:9092" as unknown as Kafka }],
    ["compression", { kafka, compression: 9 }],
    ["maxMessageBytes", { kafka, maxMessageBytes: 0 }],
    ["confirmTimeout", { kafka, confirmTimeout: -1 }],
    ["producer.transactionalId", { kafka, producer: { transactionalId: "t" } as object }],
  ])("of a publisher: %s", (name, options) => {
    expect(() => kafkaPublisher(options)).toThrow(
      expect.objectContaining({
        code: "INVALID_OPTION",
        message: expect.stringContaining(`\`${name}\``),
      }),
    );
  });

  test.each(["", "orders/+", "a b", "x".repeat(250), ".."])("the topic %j", async (topic) => {
    const subscribing = kafkaSubscriber(good).subscribe(topic, { window: 1 }, new Inbox());
    await expect(subscribing).rejects.toMatchObject({ code: "INVALID_OPTION" });
    const publisher = kafkaPublisher({ kafka });
    await expect(publisher.publish(topic, [{ body: Buffer.alloc(0) }])).rejects.toMatchObject({
      failures: [{ index: 0, error: { code: "INVALID_OPTION" } }],
    });
    await publisher.close();
  });

  test("a window that is none, and a bound below the window", async () => {
    const subscriber = kafkaSubscriber({ ...good, maxUncommitted: 10 });
    for (const window of [0, 1.5, 11]) {
      const subscribing = subscriber.subscribe("t", { window }, new Inbox());
      await expect(subscribing).rejects.toMatchObject({ code: "INVALID_OPTION" });
    }
  });

  test("what kafkajs refuses of its own options", async () => {
    const subscriber = kafkaSubscriber({ ...good, consumer: { sessionTimeout: 100 } });
    const subscribing = subscriber.subscribe("t", { window: 1 }, new Inbox());
    await expect(subscribing).rejects.toMatchObject({
      code: "INVALID_OPTION",
      message: expect.stringMatching(/heartbeatInterval.*sessionTimeout/),
    });
  });
});

describe.skipIf(!withKafka)("an Apache Kafka that creates topics", () => {
  const kafka = useKafka({ config: ["auto.create.topics.enable=true"] });

  test("does not get a topic created by a misspelt name, neither read nor written", async () => {
    await expect(kafka.subscribe("misspelt")).rejects.toMatchObject({
      code: "SOURCE_MISSING",
      message: expect.stringContaining('"misspelt"'),
    });
    const publishing = kafka.publisher().publish("misspelt", [{ body: Buffer.from("x") }]);
    await expect(publishing).rejects.toMatchObject({
      failures: [{ index: 0, error: { code: "SOURCE_MISSING" } }],
    });
    await sleep(1_000); // Kafka creates them after it has answered.
    expect(await kafka.admin.listTopics()).not.toContain("misspelt");
  });

  test("two topics in one group of one client, of which kafkajs would crash one for good", async () => {
    const [one, two] = [await kafka.topic(), await kafka.topic()];
    const both = {
      kafka: kafka.client(),
      groupId: "both",
      consumer: { heartbeatInterval: 200 }, // Members learn of a rebalance with the next one.
    };
    const { subscription } = await kafka.subscribe(one, both);
    const second = () => kafka.subscribe(two, both);
    await expect(second()).rejects.toMatchObject({ code: "INVALID_OPTION", message: /both/ });
    await kafka.subscribe(one, both);
    await subscription.close();
    await expect(second()).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });

  test("a session timeout that the broker does not allow", async () => {
    const topic = await kafka.topic();
    const subscribing = kafka.subscribe(topic, {
      consumer: { sessionTimeout: 500, heartbeatInterval: 100 },
    });
    await expect(subscribing).rejects.toMatchObject({
      code: "INVALID_OPTION",
      message: expect.stringContaining("sessionTimeout"),
    });
  });
});

const credentials = { username: "rig", password: "s3cret-word" };

describe.skipIf(!withKafka)("an Apache Kafka with passwords and permissions", () => {
  const kafka = useKafka({
    credentials,
    config: [
      "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer",
      "super.users=User:ANONYMOUS",
      "allow.everyone.if.no.acl.found=true",
    ],
  });

  async function deny(
    resourceType: number,
    resourceName: string,
    operation: number,
  ): Promise<void> {
    await kafka.admin.createAcls({
      acl: [
        {
          resourceType,
          resourceName,
          resourcePatternType: ResourcePatternTypes.LITERAL,
          principal: "User:rig",
          host: "*",
          operation,
          permissionType: AclPermissionTypes.DENY,
        },
      ],
    });
  }

  test("a wrong password, which no message shows", async () => {
    const sasl = { mechanism: "plain", username: "rig", password: "wr0ng-word" } as const;
    const client = kafka.client({ sasl });
    const error = await kafka.subscribe("any", { kafka: client }).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: "ACCESS_REFUSED" });
    const publishing = kafka
      .publisher({ kafka: client })
      .publish("any", [{ body: Buffer.alloc(1) }]);
    const failure = await publishing.catch((thrown) => thrown);
    expect(failure).toMatchObject({ failures: [{ error: { code: "ACCESS_REFUSED" } }] });
    for (let each = error; each instanceof Error; each = each.cause) {
      expect(`${each.message} ${each.stack}`).not.toMatch(/wr0ng-word|s3cret-word/);
    }
  });

  test("a mechanism that the broker does not have", async () => {
    const sasl = { mechanism: "scram-sha-256", ...credentials } as const;
    const client = kafka.client({ sasl });
    await expect(kafka.subscribe("any", { kafka: client })).rejects.toMatchObject({
      code: "ACCESS_REFUSED",
    });
  });

  test("a topic that this user may not read, and one that it may not write", async () => {
    const topic = await kafka.topic();
    await deny(AclResourceTypes.TOPIC, topic, AclOperationTypes.WRITE);
    const publishing = kafka.publisher().publish(topic, [{ body: Buffer.from("x") }]);
    await expect(publishing).rejects.toMatchObject({
      failures: [{ index: 0, error: { code: "ACCESS_REFUSED" } }],
    });
    await deny(AclResourceTypes.TOPIC, topic, AclOperationTypes.ALL);
    await expect(kafka.subscribe(topic)).rejects.toMatchObject({ code: "ACCESS_REFUSED" });
  });

  test("a group that this user may not join", async () => {
    const topic = await kafka.topic();
    await deny(AclResourceTypes.GROUP, topic, AclOperationTypes.READ);
    await expect(kafka.subscribe(topic)).rejects.toMatchObject({
      code: "ACCESS_REFUSED",
      message: expect.stringContaining(`group "${topic}"`),
    });
  });

  test("permissions that are taken away end a subscription that worked", async () => {
    const topic = await kafka.topic();
    await kafka.produce(topic, ["a"]);
    const { inbox } = await kafka.subscribe(topic, { commitInterval: 20 });
    await inbox.received(1);
    await deny(AclResourceTypes.GROUP, topic, AclOperationTypes.READ);
    inbox.deliveries[0]?.settle("ack");
    await expect
      .poll(() => inbox.failures, { timeout: 20_000 })
      .toEqual([
        expect.objectContaining({
          code: "SUBSCRIPTION_FAILED",
          cause: expect.objectContaining({ code: "ACCESS_REFUSED" }),
        }),
      ]);
    expect(inbox.ended).toHaveLength(1);
  });

  // The last one: it denies everything.
  test("a user that may write nowhere, which an idempotent producer is told when it connects", async () => {
    const topic = await kafka.topic();
    await deny(AclResourceTypes.TOPIC, "*", AclOperationTypes.WRITE);
    await deny(AclResourceTypes.CLUSTER, "kafka-cluster", AclOperationTypes.IDEMPOTENT_WRITE);
    for (const idempotent of [true, false]) {
      const publisher = kafka.publisher({ producer: { idempotent } });
      const publishing = publisher.publish(topic, [{ body: Buffer.from("x") }]);
      const message = idempotent ? /idempotent: false/ : /TOPIC|topic/;
      await expect(publishing).rejects.toMatchObject({
        failures: [{ index: 0, error: { code: "ACCESS_REFUSED", message } }],
      });
    }
  });
});

test("a broker that is not there", async () => {
  const kafka = new Kafka({ brokers: ["127.0.0.1:1"], logLevel: 0, retry: { retries: 0 } });
  const subscribing = kafkaSubscriber({ kafka, groupId: "g" }).subscribe(
    "t",
    { window: 1 },
    new Inbox(),
  );
  await expect(subscribing).rejects.toMatchObject({
    code: "BROKER_UNREACHABLE",
    message: expect.stringContaining("ECONNREFUSED"),
  });
  const publisher = kafkaPublisher({ kafka });
  await expect(publisher.publish("t", [{ body: Buffer.alloc(1) }])).rejects.toMatchObject({
    failures: [{ index: 0, error: { code: "BROKER_UNREACHABLE" } }],
  });
  await publisher.close();
});
