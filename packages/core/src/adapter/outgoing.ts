import { LabError } from "../errors.ts";
import type { OutgoingMessage, PublisherCapabilities } from "../ports.ts";

/** Says why a publisher cannot carry a message, or `undefined` where it can. Check before anything is sent. */
export function unsupportedMessage(
  message: OutgoingMessage,
  capabilities: PublisherCapabilities,
  broker: string,
): LabError | undefined {
  if (!(message.body instanceof Uint8Array)) {
    return refusal(
      `Expected \`body\` to be a Uint8Array, got ${typeof message.body}. Encode it first.`,
    );
  }
  if (message.key !== undefined) {
    if (!capabilities.keys) return refusal(`${broker} cannot carry a key. Leave \`key\` out.`);
    if (typeof message.key !== "string") {
      return refusal(`Expected \`key\` to be a string, got ${typeof message.key}.`);
    }
  }
  for (const name in message.headers) {
    if (!capabilities.headers) return refusal(`${broker} cannot carry headers. Leave them out.`);
    const value: unknown = message.headers[name];
    if (typeof value !== "string") {
      return refusal(`Expected header "${name}" to be a string, got ${typeof value}.`);
    }
  }
  return undefined;
}

function refusal(why: string): LabError {
  return new LabError("UNSUPPORTED_MESSAGE", why);
}
