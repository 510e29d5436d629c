import { contract } from "@lab/contract";
import { capabilities, pocketRig } from "./rig.ts";

contract({ name: "Pocket Queue", capabilities, rig: () => pocketRig() });
