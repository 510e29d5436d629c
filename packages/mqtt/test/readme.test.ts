import { readFileSync } from "node:fs";
import { declaredOptions, documentedOptions } from "@lab/testbed/testing";
import { expect, test } from "vitest";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const readme = read("../README.md");
const source = read("../src/options.ts");

test.for([
  ["mqttSubscriber", "MqttSubscriberOptions"],
  ["mqttPublisher", "MqttPublisherOptions"],
] as const)("the README has every option of %s with its default", ([title, name]) => {
  expect(Object.keys(declaredOptions(source, name)).length).toBeGreaterThan(4);
  expect(documentedOptions(readme, title)).toEqual(declaredOptions(source, name));
});
