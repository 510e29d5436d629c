import { json, type Message, validated } from "@lab/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { deserializeOf } from "../src/payload.ts";

const message = (body: string | Uint8Array): Message => ({
  body: typeof body === "string" ? Buffer.from(body) : body,
  key: undefined,
  destination: "orders",
  headers: {},
});

const Order = z.object({ id: z.string(), lines: z.array(z.object({ count: z.number() })) });

describe("json", () => {
  const decode = deserializeOf(json());

  test("decodes UTF-8 JSON", () => {
    expect(decode(message('{"name":"Zoë 🚚"}'))).toEqual({ name: "Zoë 🚚" });
  });

  test.each([
    ["an empty body", ""],
    ["what is no JSON", "{"],
    ["bytes that are no UTF-8", Uint8Array.of(0x22, 0xff, 0x22)],
  ])("throws on %s", (_, body) => {
    expect(() => decode(message(body))).toThrow();
  });
});

describe("json with a schema", () => {
  test("gives the schema's output, synchronously for a synchronous schema", () => {
    const trimmed = deserializeOf(json(z.object({ id: z.string().trim() })));
    expect(trimmed(message('{"id":" a "}'))).toEqual({ id: "a" });
  });

  test("names what does not match, and where", () => {
    const decode = deserializeOf(json(Order));
    const wrong = message('{"id":"a","lines":[{"count":"two"}]}');
    expect(() => decode(wrong)).toThrow(/lines\.0\.count: .*expected number/);
  });

  test("waits for an asynchronous schema", async () => {
    const known = z.string().refine(async (id) => id === "a", "no such order");
    const decode = deserializeOf(json(known));
    await expect(decode(message('"a"'))).resolves.toBe("a");
    await expect(decode(message('"b"'))).rejects.toThrow("no such order");
  });

  test("validates what an asynchronous deserializer of the user's gives", async () => {
    const decode = deserializeOf(validated(async ({ body }) => body.length, z.number().max(1)));
    await expect(decode(message("a"))).resolves.toBe(1);
    await expect(decode(message("ab"))).rejects.toMatchObject({ code: "DECODE_FAILED" });
  });
});

describe("what is no schema or deserializer is refused at once", () => {
  test.each([{}, null, 5, z.string])("json(%o)", (schema) => {
    expect(() => json(schema as unknown as z.ZodString)).toThrow(
      expect.objectContaining({ code: "INVALID_OPTION" }),
    );
  });

  test.each([{}, null, 5])("validated(%o)", (deserializer) => {
    expect(() => validated(deserializer as never, z.string())).toThrow(
      expect.objectContaining({ code: "INVALID_OPTION" }),
    );
  });
});
