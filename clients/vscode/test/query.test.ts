import assert from "node:assert/strict";
import { test } from "node:test";
import cases from "../../query-cases.json";
import { parseQuery } from "../src/query";

for (const { text, params, problems } of cases) {
  test(`reads ${JSON.stringify(text)}`, () => {
    const parsed = parseQuery(text);
    assert.deepEqual(parsed.params, params);
    assert.equal(parsed.problems.length, problems);
  });
}

test("a problem names the allowed values", () => {
  assert.match(parseQuery("in:nowhere x").problems[0] ?? "", /code, rules, libraries, notes, history/);
});
