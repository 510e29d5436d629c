/** The rig of the memory broker. */
export { memoryCapabilities } from "./capabilities.ts";
export { type MemoryRig, memoryRig } from "./rig.ts";
