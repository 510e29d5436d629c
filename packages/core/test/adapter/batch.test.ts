import { PublishError } from "@lab/core";
import { Batch } from "@lab/core/adapter";
import { expect, test } from "vitest";

const messages = Array.from({ length: 4 }, (_, i) => ({ body: Buffer.from(`${i}`) }));

test("a batch of none is decided at once", async () => {
  await new Batch("q", []).decided;
});

test("a batch resolves when all of it is confirmed, in whatever order", async () => {
  const batch = new Batch("q", messages);
  let resolved = false;
  batch.decided.then(() => {
    resolved = true;
  });
  for (const index of [2, 0, 3]) batch.decide(index, undefined);
  await Promise.resolve();
  expect(resolved).toBe(false);
  batch.decide(1, undefined);
  await batch.decided;
});

test("a batch hands out each message once, and names what failed, in order", async () => {
  const batch = new Batch("q", messages);
  expect([batch.take(), batch.take()]).toEqual([0, 1]);
  const lost = new Error("lost");
  batch.failRest(lost);
  expect(batch.take()).toBeUndefined();
  batch.decide(1, new Error("refused"));
  batch.decide(0, undefined);
  const error = await batch.decided.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(PublishError);
  expect(error).toMatchObject({
    code: "PUBLISH_FAILED",
    failures: [
      { index: 1, error: { message: "refused" } },
      { index: 2, error: lost },
      { index: 3, error: lost },
    ],
  });
});

test("a batch is an array", () => {
  expect(() => new Batch("q", "text" as never)).toThrow(/`messages` to be an array of messages/);
});
