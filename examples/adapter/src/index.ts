export { pocketPublisher } from "./publisher.ts";
export { type PocketOptions, pocketSubscriber } from "./subscriber.ts";
