import assert from "node:assert/strict";
import { test } from "node:test";
import { choicesOf } from "../src/serverChoices";

const KNOWN = [
  { language: "python", server: "ty", path: "/bin/ty", install: "surveyor" },
  { language: "python", server: "pyright", path: null, install: "surveyor" },
  { language: "cpp", server: "ccls", path: null, install: "Install ccls with your system's package manager." },
  { language: "cpp", server: "clangd", path: null, install: "surveyor" },
];

test("languages without a server are offered, what Surveyor can install first", () => {
  assert.deepEqual(choicesOf(KNOWN).map((each) => each.server), ["clangd", "ccls"]);
  assert.deepEqual(choicesOf(KNOWN).map((each) => each.isOurs), [true, false]);
});

test("of one language, others can be had beside the one that is there", () => {
  assert.deepEqual(choicesOf(KNOWN, "python").map((each) => each.server), ["pyright"]);
  assert.deepEqual(choicesOf(KNOWN, "go"), []);
});
