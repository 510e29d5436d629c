export type { Faults, Refusals, Rig, TestSource } from "./rig.ts";
