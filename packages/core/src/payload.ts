import type { StandardSchemaV1 } from "@standard-schema/spec";
import { LabError } from "./errors.ts";
import type { Deserializer, Message } from "./ports.ts";
import { isThenable } from "./thenable.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Decodes JSON in UTF-8; with a schema of any Standard Schema library (Zod, Valibot, ArkType, …) also validates it, and
 * the handler gets the schema's output.
 * @throws {LabError} `DECODE_FAILED` for each message that is not valid
 */
export function json(): Deserializer<unknown>;
export function json<S extends StandardSchemaV1>(
  schema: S,
): Deserializer<StandardSchemaV1.InferOutput<S>>;
export function json(schema?: StandardSchemaV1): Deserializer<unknown> {
  const parse = (message: Message): unknown => JSON.parse(utf8.decode(message.body));
  return schema === undefined ? parse : validated(parse, schema);
}

/** Validates what another deserializer gives. Synchronous as long as that and the schema are. */
export function validated<S extends StandardSchemaV1>(
  deserialize: Deserializer<unknown>,
  schema: S,
): Deserializer<StandardSchemaV1.InferOutput<S>> {
  const validate = (value: unknown) => {
    const result = schema["~standard"].validate(value);
    return result instanceof Promise ? result.then(accept) : accept(result);
  };
  return (message) => {
    const value = deserialize(message);
    return isThenable(value) ? value.then(validate) : validate(value);
  };
}

function accept<Output>(result: StandardSchemaV1.Result<Output>): Output {
  if (result.issues === undefined) return result.value;
  const issues = result.issues.map(({ message, path = [] }) => {
    const at = path.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
    return at === "" ? message : `${at}: ${message}`;
  });
  throw new LabError("DECODE_FAILED", `It does not match the schema: ${issues.join("; ")}`);
}
