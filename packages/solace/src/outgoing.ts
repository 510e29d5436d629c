import { LabError, type OutgoingMessage, type PublisherCapabilities } from "@lab/core";
import { unsupportedMessage } from "@lab/core/adapter";
import type solace from "solclientjs";
import { keyProperty } from "./message.ts";
import type { SolaceModule } from "./solclient.ts";

/** The longest partition key, in bytes. */
const longestKey = 255;

/** Says why a message cannot be published, or `undefined` where it can. */
export function unsupported(
  message: OutgoingMessage,
  capabilities: PublisherCapabilities,
): LabError | undefined {
  if (typeof message !== "object" || message === null) {
    return refusal(`Expected a message with a \`body\`, got ${String(message)}.`);
  }
  const fault = unsupportedMessage(message, capabilities, "Solace");
  if (fault !== undefined) return fault;
  if (message.key !== undefined && Buffer.byteLength(message.key) > longestKey) {
    return refusal(`The key has more than ${longestKey} bytes, which is what the broker takes.`);
  }
  if (message.headers !== undefined && Object.hasOwn(message.headers, keyProperty)) {
    return refusal(`The header "${keyProperty}" is where the key goes. Give it as \`key\`.`);
  }
  return undefined;
}

/** The client's message for one of ours. Its body is not copied. */
export function nativeOf(
  solace: SolaceModule,
  { body, key, headers }: OutgoingMessage,
): solace.Message {
  const native = solace.SolclientFactory.createMessage();
  native.setDeliveryMode(solace.MessageDeliveryModeType.PERSISTENT);
  native.setBinaryAttachment(body);
  if (key === undefined && headers === undefined) return native;
  const map = new solace.SDTMapContainer();
  const { STRING } = solace.SDTFieldType;
  for (const name in headers) map.addField(name, STRING, headers[name]);
  if (key !== undefined) map.addField(keyProperty, STRING, key);
  native.setUserPropertyMap(map);
  return native;
}

function refusal(why: string): LabError {
  return new LabError("UNSUPPORTED_MESSAGE", why);
}
