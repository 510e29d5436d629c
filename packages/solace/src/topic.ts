import { LabError } from "@lab/core";
import type solace from "solclientjs";
import { type SolaceModule, SolclientError } from "./solclient.ts";

/** A destination for a topic or a topic subscription. `name` says whose value it is. @throws {LabError} `INVALID_OPTION` */
export function topicDestination(
  solace: SolaceModule,
  name: string,
  topic: string,
): solace.Destination {
  try {
    return solace.SolclientFactory.createTopicDestination(topic);
  } catch (thrown) {
    const { message } = new SolclientError(thrown);
    const text = `Expected \`${name}\` to be a topic such as orders/berlin, got ${JSON.stringify(topic)}: ${message}`;
    throw new LabError("INVALID_OPTION", text);
  }
}
