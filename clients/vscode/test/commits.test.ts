import assert from "node:assert/strict";
import test from "node:test";
import { originOf, sidesOf, sizeOf } from "../src/commits";
import type { CodeCommit } from "../src/protocol";

const commit: CodeCommit = {
  commit: "0123456789abcdef", author: "A", date: "2026-01-02T03:04:05+00:00", subject: "S", body: "", path: "a.py",
  startLine: 1, endLine: 2, added: 3, removed: 1, diff: "", introduced: false,
};

test("a diff has two sides, with all lines of the code", () => {
  const diff = "@@ -1,3 +1,4 @@\n def f():\n-    return 1\n+    x = 1\n+    return x\n # end\n\\ No newline at end of file";
  assert.deepEqual(sidesOf(diff), { before: "def f():\n    return 1\n# end", after: "def f():\n    x = 1\n    return x\n# end" });
});

test("new code has nothing before it, and a line of dashes is a line", () => {
  assert.deepEqual(sidesOf("@@ -0,0 +1,2 @@\n+--- a/x\n++i"), { before: "", after: "--- a/x\n+i" });
});

test("parts that do not touch are kept apart", () => {
  assert.deepEqual(sidesOf("@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n c"), { before: "a\n⋯\nc", after: "b\n⋯\nc" });
});

test("where code came from and how much changed is said", () => {
  assert.equal(originOf(commit), "");
  assert.equal(originOf({ ...commit, renamedFrom: "old", movedFrom: "b.py:1-2" }), "renamed from old, moved from b.py:1-2");
  assert.equal(sizeOf(commit), "+3 −1");
});
