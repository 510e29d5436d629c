import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brokersFolder } from "../../folder.ts";

/** Says which jars, of which version. */
const pom = fileURLToPath(new URL("../../../pom.xml", import.meta.url));

export const kafkaVersion: string =
  /<kafka\.version>([^<]+)</.exec(readFileSync(pom, "utf8"))?.[1] ?? "unknown";

export function jarsFolder(): string {
  return join(brokersFolder(), `kafka-${kafkaVersion}`);
}

export function missingJars(): string | undefined {
  const folder = jarsFolder();
  return existsSync(folder) ? undefined : `there are no jars of Kafka in ${folder}`;
}

/** By way of another folder, so that one that was broken off is not taken for a whole one. */
export function fetchJars(): readonly (readonly string[])[] {
  const folder = jarsFolder();
  const partial = `${folder}.partial`;
  const copy = "dependency:copy-dependencies";
  return [
    ["rm", "-rf", partial],
    ["mvn", "-q", "-B", "-f", pom, copy, "-DincludeScope=runtime", `-DoutputDirectory=${partial}`],
    ["mv", partial, folder],
  ];
}
