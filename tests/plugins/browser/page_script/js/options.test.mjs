import assert from "node:assert/strict";
import { test } from "node:test";
import { part } from "./parts.mjs";

const { chosenIn, namesOf, optionsOf, suggestion, titleOf, unchosen } =
  await part("accessibility/options");
const option = (label, more = {}) => ({ label, value: label, matches: () => false, ...more });
const group = (label) => ({ localName: "optgroup", label });

test("a title has the name of its group", () => {
  assert.equal(titleOf(option("Oak  tree", { parentElement: group("Wood") })), "Wood: Oak tree");
});

test("what a person sees is sought before what the form sends", () => {
  const options = [option("one", { value: "two" }), option("two", { value: "one" })];
  assert.deepEqual(optionsOf({ options }, "one"), [options[0]]);
  assert.deepEqual(optionsOf({ options }, "TWO"), [options[1]]);
  assert.deepEqual(optionsOf({ options }, "three"), []);
});

test("why none is chosen", () => {
  const closed = option("shut", { matches: () => true });
  const options = [
    closed,
    option("twin", { parentElement: group("A") }),
    option("twin", { parentElement: group("B") }),
    option("sole"),
  ];
  assert.equal(unchosen({ options }, "none").why, "no option");
  assert.equal(unchosen({ options }, "shut").why, "option disabled");
  assert.deepEqual(unchosen({ options }, "twin").options, ["A: twin", "B: twin"]);
  assert.equal(unchosen({ options }, "sole"), null);
});

test("what is chosen, suggested and attached", () => {
  assert.equal(chosenIn({ selectedOptions: [option("a"), option("b")] }), "a, b");
  assert.equal(suggestion({ value: "de", label: "Germany" }), "de = Germany");
  assert.equal(suggestion({ value: "de", label: "de (Germany)" }), "de");
  const files = Array.from({ length: 12 }, (_, number) => ({ name: `${number}` }));
  assert.equal(namesOf(files), "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 2 more");
});
