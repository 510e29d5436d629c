import {
  type ConsumeOptions,
  type Consumer,
  consume,
  type Deserializer,
  type Handler,
  json,
} from "@lab/core";
import { MemoryBroker } from "@lab/core/memory";
import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";

const Order = z.object({ id: z.string() });
type Order = z.output<typeof Order>;

const source = { subscriber: new MemoryBroker().subscriber(), source: "orders" };
const handler: Handler<Order> = () => {};

// Nothing of this is called: the compiler is what is tested.

test("the handler's type follows from the deserializer, written in place", () => {
  const typed = (): Promise<Consumer>[] => [
    consume({
      ...source,
      deserialize: json(Order),
      handler: (order) => expectTypeOf(order).toEqualTypeOf<Order>(),
    }),
    consume({
      ...source,
      deserialize: async ({ body }) => body.length,
      handler: (length) => expectTypeOf(length).toEqualTypeOf<number>(),
    }),
    consume({ ...source, handler: (body) => expectTypeOf(body).toEqualTypeOf<Uint8Array>() }),
  ];
  expect(typed).toBeTypeOf("function");
});

test("options can be made beforehand, and by generic functions", () => {
  const options: ConsumeOptions<Order> = { ...source, deserialize: json(Order), handler };
  const bytes: ConsumeOptions = { ...source, handler: (body) => body.byteLength };
  const wrapper = <T>(given: ConsumeOptions<T>): Promise<Consumer> => consume(given);
  const parts = <T>(deserialize: Deserializer<T>, handle: Handler<T>): Promise<Consumer> =>
    consume({ ...source, deserialize, handler: handle });
  const typed = (): Promise<Consumer>[] => [
    consume(options),
    consume(bytes),
    wrapper(options),
    wrapper(bytes),
    parts(json(Order), handler),
  ];
  expect(typed).toBeTypeOf("function");
});

test("an option may be undefined", () => {
  const typed = (): Promise<Consumer> =>
    consume({ ...source, handler: () => {}, signal: undefined, retry: { base: undefined } });
  expect(typed).toBeTypeOf("function");
});

test("a handler of anything but bytes needs a deserializer", () => {
  const without = { ...source, handler };
  expectTypeOf(without).not.toExtend<ConsumeOptions<Order>>();
  expectTypeOf({ ...without, deserialize: json(Order) }).toExtend<ConsumeOptions<Order>>();
});
