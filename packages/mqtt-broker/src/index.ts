export { createMqttBroker } from "./broker.ts";
export { InjectError } from "./inject-error.ts";
export type * from "./types.ts";
