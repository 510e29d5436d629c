import { expect, test } from "vitest";
import { matchesTopic } from "../src/topic.ts";

test.for([
  ["a/b", "a/b", true],
  ["a/b", "a/c", false],
  ["a/b", "a/b/c", false],
  ["a/b/c", "a/b", false],
  ["a/*", "a/b", true],
  ["a/*", "a", false],
  ["a/*", "a/b/c", false],
  ["*/b", "a/b", true],
  ["a/b*/c", "a/bcd/c", true],
  ["a/b*/c", "a/b/c", true],
  ["a/b*/c", "a/cb/c", false],
  ["a/>", "a/b", true],
  ["a/>", "a/b/c/d", true],
  ["a/>", "a", false],
  ["a/>", "b/c", false],
  [">", "a", true],
  [">", "a/b", true],
  ["a/>/c", "a/b/c", false],
  ["a/>/c", "a/>/c", true],
  ["*/*/>", "a/b/c", true],
  ["*/*/>", "a/b", false],
] as const)("%s takes %s: %s", ([subscription, topic, expected]) => {
  expect(matchesTopic(subscription, topic)).toBe(expected);
});
