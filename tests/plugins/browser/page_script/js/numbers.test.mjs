import assert from "node:assert/strict";
import { test } from "node:test";
import { part } from "./parts.mjs";

const { numeral } = await part("accessibility/list_numbers");

for (const [number, style, expected] of [
  [4, "decimal", "4"],
  [4, "decimal-leading-zero", "04"],
  [1, "lower-alpha", "a"],
  [27, "upper-latin", "AA"],
  [702, "lower-alpha", "zz"],
  [703, "lower-alpha", "aaa"],
  [1994, "upper-roman", "MCMXCIV"],
  [4000, "lower-roman", "4000"],
  [0, "lower-alpha", "0"],
  [-3, "upper-roman", "-3"],
  [7, "unknown", "7"],
])
  test(`${number} as ${style}`, () => assert.equal(numeral(number, style), expected));
