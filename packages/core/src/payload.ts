import type { StandardSchemaV1 } from "@standard-schema/spec";
import { invalidOption, LabError } from "./errors.ts";
import type { Deserialize, Deserializer, Message } from "./ports.ts";
import { isThenable } from "./thenable.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });
const parse = (message: Message): unknown => JSON.parse(utf8.decode(message.body));

/**
 * Decodes JSON in UTF-8; with a schema of any Standard Schema library (Zod, Valibot, ArkType, …) also validates it, and
 * the handler gets the schema's output.
 * @throws {LabError} `DECODE_FAILED` for each message that is not valid; `INVALID_OPTION` for what is no schema
 */
export function json(): { readonly deserialize: Deserialize<unknown> };
export function json<T>(schema: StandardSchemaV1<unknown, T>): {
  readonly deserialize: Deserialize<T>;
};
export function json(schema?: StandardSchemaV1): { readonly deserialize: Deserialize<unknown> } {
  return schema === undefined ? { deserialize: parse } : validated(parse, schema);
}

/**
 * Validates what another deserializer gives. Synchronous as long as that and the schema are.
 * @throws {LabError} `DECODE_FAILED` for each message that is not valid; `INVALID_OPTION` for what is no schema
 */
export function validated<T>(
  deserializer: Deserializer<unknown>,
  schema: StandardSchemaV1<unknown, T>,
): { readonly deserialize: Deserialize<T> } {
  if (!isDeserializer(deserializer)) {
    throw invalidOption("deserializer", deserializer, expectedDeserializer);
  }
  if (typeof schema?.["~standard"]?.validate !== "function") {
    const todo = "Pass what Zod, Valibot, ArkType or another Standard Schema library makes.";
    throw invalidOption("schema", schema, "a Standard Schema", todo);
  }
  const deserialize = deserializeOf(deserializer);
  const validate = (value: unknown) => {
    const result = schema["~standard"].validate(value);
    return isThenable(result) ? Promise.resolve(result).then(accept) : accept(result);
  };
  return {
    deserialize: (message) => {
      const value = deserialize(message);
      return isThenable(value) ? Promise.resolve(value).then(validate) : validate(value);
    },
  };
}

export const expectedDeserializer = "a function, or an object with a function `deserialize`";

export function isDeserializer(value: unknown): value is Deserializer<unknown> {
  return (
    typeof value === "function" ||
    typeof (value as { deserialize?: unknown } | null)?.deserialize === "function"
  );
}

/** The function of a deserializer in either form. */
export function deserializeOf<T>(deserializer: Deserializer<T>): Deserialize<T> {
  return typeof deserializer === "function"
    ? deserializer
    : (message) => deserializer.deserialize(message);
}

function accept<Output>(result: StandardSchemaV1.Result<Output>): Output {
  if (result.issues === undefined) return result.value;
  const issues = result.issues.map(({ message, path = [] }) => {
    const at = path.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
    return at === "" ? message : `${at}: ${message}`;
  });
  throw new LabError("DECODE_FAILED", `It does not match the schema: ${issues.join("; ")}`);
}
