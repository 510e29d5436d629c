/** What the reports contain, for programs that read them. */
export type { DrainParams, DrainReport, DrainRun } from "./drain/report.ts";
export type { EngineParams, EngineReport, EngineRow } from "./engine/report.ts";
export type { Environment } from "./environment.ts";
export type { PublishParams, PublishReport, PublishRow } from "./publish/report.ts";
export type { SyncParams, SyncReport, SyncRun } from "./sync/report.ts";
export type { ThroughputParams, ThroughputReport, ThroughputRow } from "./throughput/report.ts";
