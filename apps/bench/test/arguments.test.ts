import { LabError } from "@lab/core";
import { expect, test } from "vitest";
import { describeOptions, readArguments } from "../src/arguments.ts";

const specs = {
  size: { value: "N", default: "3", help: "how large" },
  quick: { help: "no waiting" },
} as const;

const refused: [string[], RegExp][] = [
  [["--sise", "4"], /--size, --quick.*got "--sise"/],
  [["4"], /got "4"/],
  [["-q"], /got "-q"/],
  [["--size"], /`--size` to be followed by its value, N/],
  [["--size", "4", "--size", "5"], /`--size` to be given once/],
  [["--quick=yes"], /`--quick` to be a flag without a value, got "yes"/],
];

test.each(refused)("%j is refused", (argv, message) => {
  const read = (): unknown => readArguments("try", specs, argv);
  expect(read).toThrow(LabError);
  expect(read).toThrow(message);
  expect(read).toThrow(expect.objectContaining({ code: "INVALID_OPTION" }));
});

test("values are read with a space and with an equals sign, flags without", () => {
  expect(readArguments("try", specs, ["--size", "4", "--quick"])).toEqual({ size: "4", quick: "" });
  expect(readArguments("try", specs, ["--size=4"])).toEqual({ size: "4" });
  expect(readArguments("try", specs, [])).toEqual({});
});

test("help shows every option with its default", () => {
  expect(describeOptions(specs)).toBe("  --size N  how large [3]\n  --quick   no waiting");
});
