/** For the tests of the packages. */
export { eventually } from "./eventually.ts";
export { Inbox } from "./inbox.ts";
export { declaredOptions, documentedOptions } from "./options.ts";
export { usable } from "./usable.ts";
