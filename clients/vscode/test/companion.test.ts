import assert from "node:assert/strict";
import { test } from "node:test";
import { decide, findProviders, type InstalledExtension } from "../src/companion";

function extension(id: string, changes: Partial<InstalledExtension> = {}): InstalledExtension {
  return { id, displayName: id, activationEvents: [], categories: [], hasCode: true, languages: [], ...changes };
}

function served(extensions: InstalledExtension[], settings: Record<string, unknown> = {}): Record<string, string> {
  return Object.fromEntries(findProviders(extensions, (name) => settings[name], "surveyor.surveyor"));
}

test("the built-in TypeScript support makes its languages companion", () => {
  const providers = findProviders([extension("vscode.typescript-language-features")], () => undefined, "x.y");
  assert.equal(decide("typescript", "auto", providers).mode, "companion");
  assert.match(decide("typescript", "auto", providers).reason, /typescript-language-features/);
  assert.equal(decide("python", "auto", providers).mode, "proxy");
});

test("a setting overrides what was found", () => {
  const providers = new Map([["python", "Pylance"]]);
  assert.equal(decide("python", "proxy", providers).mode, "proxy");
  assert.equal(decide("go", "companion", providers).mode, "companion");
});

test("the Python extension serves by Pylance, by Jedi, or not at all", () => {
  const python = extension("ms-python.python");
  const pylance = extension("ms-python.vscode-pylance");
  assert.deepEqual(served([python, pylance]), { python: "ms-python.vscode-pylance" });
  assert.deepEqual(served([python]), { python: "ms-python.python" });
  assert.deepEqual(served([python, pylance], { "python.languageServer": "None" }), {});
  assert.deepEqual(served([python, pylance], { "python.languageServer": "Jedi" }), { python: "ms-python.python" });
});

test("a switched-off language service does not count", () => {
  assert.deepEqual(served([extension("detachhead.basedpyright")], { "basedpyright.disableLanguageServices": true }), {});
});

test("an unknown extension of a programming language counts, a linter or a theme does not", () => {
  const waking = { activationEvents: ["onLanguage:zig", "onLanguage:zig", "onCommand:x"], categories: ["Programming Languages"] };
  assert.deepEqual(served([extension("someone.zig", waking)]), { zig: "someone.zig" });
  assert.deepEqual(served([extension("someone.zig", { ...waking, hasCode: false })]), {});
  assert.deepEqual(served([extension("charliermarsh.ruff", { ...waking, activationEvents: ["onLanguage:python"] })]), {});
  assert.deepEqual(served([extension("a.theme", { categories: ["Themes"] })]), {});
});

test("Surveyor itself is never the other provider", () => {
  const own = extension("Surveyor.surveyor", { activationEvents: ["onLanguage:python"], categories: ["Programming Languages"] });
  assert.deepEqual(served([own]), {});
});

test("a mode that is set beside another extension says that answers come twice", () => {
  const providers = new Map([["python", "Pylance"]]);
  const full = decide("python", "full", providers);
  assert.equal(full.mode, "full");
  assert.equal(full.doubledBy, "Pylance");
  assert.match(full.reason, /Pylance serves python, too: answers come twice/);
  assert.equal(decide("go", "full", providers).doubledBy, undefined);
  assert.equal(decide("python", "companion", providers).doubledBy, undefined);
  assert.equal(decide("python", "auto", providers).doubledBy, undefined);
});
