import { LabError, type OutgoingMessage, type PublisherCapabilities } from "@lab/core";
import { unsupportedMessage } from "@lab/core/adapter";
import { keyHeader } from "./message.ts";

/** Headers that make RabbitMQ send copies to further routing keys; it wants lists in them. */
const copies = ["CC", "BCC"];

/** Says why a message cannot be published, or `undefined` where it can. */
export function unsupported(
  message: OutgoingMessage,
  capabilities: PublisherCapabilities,
): LabError | undefined {
  if (typeof message !== "object" || message === null) {
    return refusal(`Expected a message with a \`body\`, got ${String(message)}.`);
  }
  const fault = unsupportedMessage(message, capabilities, "AMQP");
  if (fault !== undefined) return fault;
  for (const name in message.headers) {
    if (name === keyHeader) {
      return refusal(`The header "${keyHeader}" is where the key goes. Give it as \`key\`.`);
    }
    if (copies.includes(name)) {
      return refusal(`The header "${name}" stands for a list of routing keys. Leave it out.`);
    }
  }
  return undefined;
}

/** amqplib refuses to encode it: a header name of more than 255 bytes, headers of more than 64 KB. Nothing was sent. */
export function unencodable(thrown: unknown): LabError | undefined {
  if (!(thrown instanceof RangeError || thrown instanceof TypeError)) return undefined;
  return refusal(
    `amqplib cannot encode the message: ${thrown.message}. Put less into its headers.`,
  );
}

/** Key and headers as AMQP's headers. */
export function headersOf({ key, headers }: OutgoingMessage): Record<string, string> | undefined {
  if (key === undefined) return headers;
  return { ...headers, [keyHeader]: key };
}

/** What amqplib takes, without copying. */
export function bytesOf({ body }: OutgoingMessage): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}

function refusal(why: string): LabError {
  return new LabError("UNSUPPORTED_MESSAGE", why);
}
