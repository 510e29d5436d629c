import { contract } from "@lab/contract";
import { memoryCapabilities, memoryRig } from "@lab/contract/memory";

contract({
  name: "memory",
  capabilities: memoryCapabilities,
  rig: () => memoryRig(),
});
