import { LabError, type OutgoingMessage, type PublisherCapabilities } from "@lab/core";
import { unsupportedMessage } from "@lab/core/adapter";
import type solace from "solclientjs";
import { keyProperty } from "./message.ts";
import type { SolaceModule } from "./solclient.ts";

/** The longest partition key, in bytes. */
const longestKey = 255;

/** What the client does not carry as it is in a text: U+0000, with which it ends, and half a pair of surrogates. */
const uncarried = /\0|\p{Surrogate}/u;

/** The client encodes the names of properties one byte for each character: printable ASCII. */
const ascii = /^[ -~]*$/;

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
  if (message.key !== undefined && uncarried.test(message.key)) {
    return refusal("The key contains U+0000 or half a pair of surrogates. Leave it out.");
  }
  return headerFault(message.headers ?? {});
}

function headerFault(headers: Readonly<Record<string, string>>): LabError | undefined {
  for (const [name, value] of Object.entries(headers)) {
    if (name === keyProperty) {
      return refusal(`The header "${keyProperty}" is where the key goes. Give it as \`key\`.`);
    }
    if (!ascii.test(name) || name === "__proto__") {
      return refusal(
        `The header name "${name}" has to be printable ASCII, and not __proto__: solclientjs changes others.`,
      );
    }
    if (uncarried.test(value)) {
      const text = `The header "${name}" contains U+0000 or half a pair of surrogates. Leave it out.`;
      return refusal(text);
    }
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
