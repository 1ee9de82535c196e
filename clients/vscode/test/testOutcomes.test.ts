import assert from "node:assert/strict";
import test from "node:test";
import type { FailedPlace, ImpactItem, TestAnswer } from "../src/protocol";
import { outcomesOf, testsOf, type RunItem } from "../src/testOutcomes";

const at = { start: { line: 4, character: 0 }, end: { line: 4, character: 0 } };
const item = (path: string, name: string, more: Partial<ImpactItem> = {}): ImpactItem => ({
  uri: `file:///p/${path}`, range: at, name, kind: "function", depth: 1, isTest: true, via: [], ...more,
});
const failure = (path: string, symbol: string, named: string): FailedPlace => ({
  uri: path && `file:///p/${path}`, range: at, path, test: named, message: "no", symbol,
});
const answer = (more: Partial<TestAnswer>): TestAnswer => ({
  root: "/p", ok: true, passed: 0, failed: 0, skipped: 0, failures: [], notRun: [], output: "", ...more,
});
const states = (ran: TestAnswer, items: RunItem[]): string[] => [...outcomesOf(ran, items).values()].map((each) => each.state);

test("tests are listed, and not what they go through", () => {
  const found = testsOf([
    item("src/a.py", "use", { isTest: false }),
    item("tests/test_a.py", "TestA.test_one", { via: ["tests/test_a.py::make"] }),
    item("tests/test_a.py", "make"),
    item("tests/test_b.py", "fixture"),
    item("x_test.go", "TestX"),
    item("x_test.go", "newServer"),
    item("it's%20here/a.test.ts", "adds"),
  ]);
  assert.deepEqual(
    found.map((each) => [each.uri.slice(10), each.name]),
    [["tests/test_a.py", "TestA.test_one"], ["x_test.go", "TestX"], ["it's%20here/a.test.ts", "adds"], ["tests/test_b.py", ""]],
  );
});

test("a failure is the test's whose definition it is in, or whose name the runner says", () => {
  const one = item("tests/test_a.py", "TestA.test_one");
  const two = item("tests/test_a.py", "TestA.test_one_more");
  const ran = { passed: 1, failed: 1, ok: false };
  assert.deepEqual(states(answer({ ...ran, failures: [failure("tests/test_a.py", "TestA.test_one", "?")] }), [one, two]), ["failed", "passed"]);
  assert.deepEqual(states(answer({ ...ran, failures: [failure("src/a.py", "f", "tests.test_a.TestA.test_one[1]")] }), [one, two]), ["failed", "passed"]);
});

test("no test is said to have passed beside a failure that cannot be told to be another's", () => {
  const one = item("tests/test_a.py", "test_one");
  const file = item("tests/test_a.py", "");
  const ran = answer({ passed: 1, failed: 1, ok: false, failures: [failure("tests/test_a.py", "helper", "suite")] });
  assert.deepEqual(states(ran, [one]), ["errored"]);
  assert.deepEqual(states(ran, [file]), ["failed"]);
});

test("a file that cannot be loaded takes the others nothing", () => {
  const one = item("tests/test_a.py", "test_one");
  const other = item("tests/test_b.py", "test_two");
  const ran = (named: string): TestAnswer => answer({ passed: 1, failed: 1, ok: false, failures: [failure("", "", named)] });
  assert.deepEqual(states(ran("tests.test_b"), [one, other]), ["passed", "errored"]);
  assert.deepEqual(states(ran("linker"), [one, other]), ["errored", "errored"]);
});

test("what was not run, or ended badly, or ran nothing, has not passed", () => {
  const one = item("tests/test_a.py", "test_one");
  const other = item("tests/test_b.py", "test_two");
  assert.deepEqual(states(answer({ ok: false, passed: 1, notRun: ["tests/test_a.py: pytest is not installed"] }), [one]), ["errored"]);
  assert.deepEqual(states(answer({ ok: false, output: "boom" }), [one, other]), ["errored", "errored"]);
  assert.deepEqual(states(answer({}), [one]), ["skipped"]);
  assert.deepEqual(states(answer({ skipped: 1 }), [one]), ["skipped"]);
  assert.deepEqual(states(answer({ passed: 2 }), [one, other]), ["passed", "passed"]);
});
