import { contract } from "../src/index.ts";
import { altered } from "./support/altered.ts";
import { fewCapabilities } from "./support/few-capabilities.ts";

// The negative tests, and the scenarios of a session that outlives its connections.
contract({
  name: "memory with few capabilities",
  capabilities: altered(fewCapabilities).capabilities,
  rig: () => altered(fewCapabilities).rig,
});
