import { contract } from "../src/index.ts";
import { memoryCapabilities, memoryRig } from "../src/memory/index.ts";

contract({ name: "memory", capabilities: memoryCapabilities, rig: memoryRig });
