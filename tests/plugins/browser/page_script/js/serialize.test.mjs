import assert from "node:assert/strict";
import { test } from "node:test";
import { part } from "./parts.mjs";

const { serialize } = await part("evaluate/serialize");
const circle = { name: "c" };
circle.self = circle;
const throws = {
  get bad() {
    throw new Error("no");
  },
};

for (const [what, value, expected] of [
  ["a text", "a\u2028b", JSON.stringify("a\u2028b")],
  ["no number", Number.NaN, '"NaN"'],
  ["a large integer", 12n, '"12n"'],
  ["nothing", undefined, "undefined"],
  ["nothing in a list", [undefined, null], "[null,null]"],
  ["a symbol", Symbol("s"), '"Symbol(s)"'],
  ["a function", function named() {}, '"[function named]"'],
  ["a function in an object", { a: 1, b() {} }, '{"a":1}'],
  ["a map", new Map([["a", 1]]), '{"a":1}'],
  ["a set", new Set([1, 2]), "[1,2]"],
  ["bytes", new Uint8Array([1, 2]), "[1,2]"],
  ["an error", new TypeError("bad"), '"TypeError: bad"'],
  ["a regular expression", /a/g, '"/a/g"'],
  ["a date", new Date(0), '"1970-01-01T00:00:00.000Z"'],
  ["a circle", circle, '{"name":"c","self":"[circular]"}'],
  ["a getter that throws", throws, '{"bad":"(throws Error: no)"}'],
  ["the document", document, '"[document]"'],
  ["the window", globalThis, '"[window]"'],
])
  test(what, () => assert.equal(serialize(value), expected));

test("a long text, many items and deep ones are cut", () => {
  assert.match(serialize("x".repeat(300_000)), /… \(300000 characters\)"$/);
  assert.match(serialize(Array.from({ length: 6000 }, () => 1)), /"… \(6000 items\)"\]$/);
  let deep = {};
  for (let level = 0; level < 100; level++) deep = { deep };
  assert.equal(serialize(deep), `${'{"deep":'.repeat(12)}"…"${"}".repeat(12)}`);
});
