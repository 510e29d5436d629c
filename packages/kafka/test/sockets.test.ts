import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { kafkaPublisher } from "@lab/kafka";
import { Kafka, logLevel } from "kafkajs";
import { expect, onTestFinished, test } from "vitest";
import { telling } from "../src/kafkajs/sockets.ts";
import { eventually } from "./support/inbox.ts";

test("the connections of kafkajs's producers are where they are looked for", () => {
  const clusters: object[] = [];
  const kafka = new Kafka({ brokers: ["127.0.0.1:1"] });
  const told = telling(kafka, (cluster) => clusters.push(cluster));
  told.producer({ createPartitioner: () => () => 0 });
  expect(clusters).toEqual([expect.objectContaining({ brokerPool: expect.anything() })]);
  told.admin();
  kafka.admin();
  expect(clusters).toHaveLength(2);
});

test("a client of another make is left as it is", () => {
  const other = {} as Kafka;
  expect(telling(other, () => {})).toBe(other);
});

test("a publisher leaves no connection behind where a server takes them and never answers", {
  timeout: 30_000,
}, async () => {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => {}).on("close", () => open.delete(socket));
    socket.resume();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const kafka = new Kafka({
    brokers: [`127.0.0.1:${port}`],
    retry: { retries: 0 },
    logLevel: logLevel.NOTHING,
  });
  const publisher = kafkaPublisher({ kafka, confirmTimeout: 300 });
  const failures = [{ index: 0, error: { code: "CONNECTION_LOST" } }];
  const publishing = publisher.publish("t", [{ body: Buffer.from("x") }]);
  await expect(publishing).rejects.toMatchObject({ failures });
  await publisher.close();
  await eventually(
    () => open.size === 0,
    () => `no connections; there are ${open.size}`,
    3_000, // kafkajs alone: 30 s.
  );
});
