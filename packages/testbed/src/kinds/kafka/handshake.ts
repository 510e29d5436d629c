import { LabError } from "@lab/core";
import { Kafka, logLevel } from "kafkajs";
import type { Identity, Trust } from "../../kind.ts";
import type { Target } from "../../target.ts";
import { configOf } from "./config.ts";

const limit = 5_000;

/** Connects and asks for the brokers of the cluster, over the addresses that it advertises. It does not tell its version. */
export async function kafkaHandshake(target: Target, { ca, signal }: Trust): Promise<Identity> {
  signal?.throwIfAborted();
  const admin = new Kafka({
    ...configOf(target, ca),
    clientId: "testbed",
    connectionTimeout: limit,
    requestTimeout: limit,
    retry: { retries: 0 },
    logLevel: logLevel.NOTHING,
  }).admin();
  try {
    await admin.connect();
    await admin.describeCluster();
    return { product: "Apache Kafka", version: "unknown", real: true };
  } catch (error) {
    signal?.throwIfAborted();
    const { message, name } = error as Error;
    if (!/SASLAuthentication/.test(name)) throw error;
    throw new LabError("ACCESS_REFUSED", message, { cause: error });
  } finally {
    await admin.disconnect();
  }
}
