import assert from "node:assert/strict";
import { test } from "node:test";
import { part } from "./parts.mjs";

const { isRole, PLAIN_TAGS, rolesWith, SYNONYMS } = await part("accessibility/roles");

test("each role of a tag and of a synonym is a role", () => {
  for (const role of [...Object.values(PLAIN_TAGS), ...Object.values(SYNONYMS)])
    assert.ok(isRole(role), role);
});

test("roles of extensions are roles, words are none", () => {
  assert.ok(isRole("doc-toc"));
  assert.ok(!isRole("toString"));
  assert.ok(!isRole(""));
});

test("facts are of some roles", () => {
  assert.ok(rolesWith("range").has("slider"));
  assert.ok(!rolesWith("range").has("button"));
});
