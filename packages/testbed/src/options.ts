import { LabError } from "@lab/core";
import type { How, StartOptions } from "./broker.ts";
import { type BrokerName, brokerNames } from "./kinds/index.ts";

const hows: readonly How[] = ["running", "docker", "native", "embedded"];

/** @throws {LabError} `INVALID_OPTION` */
export function checkName(name: string): BrokerName {
  const known = brokerNames.find((candidate) => candidate === name);
  if (known === undefined) throw invalid("broker", name, `one of ${brokerNames.join(", ")}`);
  return known;
}

/** @throws {LabError} `INVALID_OPTION` */
export function checkOptions({ how, credentials, config }: StartOptions): void {
  if (how !== undefined && !hows.includes(how)) {
    throw invalid("how", how, `one of ${hows.join(", ")}`);
  }
  if (credentials && !/^[^:\n]+$/.test(credentials.username)) {
    throw invalid("credentials.username", credentials.username, "not empty and without a colon");
  }
  const broken = config?.find((line) => line.includes("\n"));
  if (broken !== undefined) throw invalid("config", broken, "one line each");
}

function invalid(name: string, got: string, expected: string): LabError {
  return new LabError("INVALID_OPTION", `Expected \`${name}\` to be ${expected}, got "${got}".`);
}
