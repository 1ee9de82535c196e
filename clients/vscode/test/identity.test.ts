import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { after, test } from "node:test";
import { commandsAt, pastedPath, serverAt, versionOf } from "../src/identity";

const folder = mkdtempSync(path.join(tmpdir(), "surveyor-identity-"));
after(() => rmSync(folder, { recursive: true }));

function program(name: string, script: string, mode = 0o755): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, mode);
  return file;
}

const onUnix = { skip: process.platform === "win32" ? "it makes shell scripts" : false };

test("a server says its name and version", onUnix, async () => {
  assert.equal(await versionOf(program("good", "echo surveyor 1.2.3rc1")), "1.2.3rc1");
});

test("what is not ours is told by what it does", onUnix, async () => {
  const cases: [string, RegExp][] = [
    ["/usr/bin/true", /true is another program/],
    [program("silent", "exit 0"), /answers nothing to --version/],
    [program("other", "echo ripgrep 14.1.0"), /another program: it answers "ripgrep 14\.1\.0"/],
    [program("namesake", "echo a land surveyor 9.9 of fields"), /another program: it answers "a land surveyor/],
    [program("without", "echo surveyor"), /another program/],
    [program("endless", "while :; do echo spam; done"), /another program/],
    [program("liar", "echo surveyor 1.2.3; exit 3"), /another program/],
    [program("broken", "echo 'No module named surveyor' >&2; exit 1"), /fails: No module named surveyor/],
    [program("plain", "echo surveyor 1.2.3", 0o644), /may not be executed/],
    [path.join(folder, "nowhere"), /does not exist/],
    [folder, /is a folder/],
  ];
  for (const [command, said] of cases) {
    await assert.rejects(versionOf(command), said);
  }
});

test("a program that hangs is ended, with what it has started", onUnix, async () => {
  // A child that keeps the output open, and a parent that does not mind being asked to end.
  const hanging = program("hanging", "trap '' TERM\nsleep 60 &\necho surveyor 1.2.3\nwait");
  await assert.rejects(versionOf(hanging, 200), /does not answer --version within 0\.2 s/);
});

test("a folder means the command in it, and an interpreter the one beside it", onUnix, async () => {
  const command = program("clone/.venv/bin/surveyor", "echo surveyor 4.5.6");
  assert.deepEqual(await serverAt(path.join(folder, "clone")), { command, version: "4.5.6" });
  assert.deepEqual(await serverAt(path.join(folder, "clone/.venv/bin/python3.12")), { command, version: "4.5.6" });
  program("docs/readme", "");
  await assert.rejects(serverAt(path.join(folder, "docs")), /docs is a folder without surveyor in it/);
  await assert.rejects(serverAt("bin/surveyor"), /is not an absolute path/);
  assert.deepEqual(commandsAt("C:\\v\\Scripts\\python.exe", false, "win32"), ["C:\\v\\Scripts\\surveyor.exe"]);
});

test("a path is taken as it is pasted", () => {
  assert.equal(pastedPath('  "/opt/my tools/surveyor" '), "/opt/my tools/surveyor");
  assert.equal(pastedPath("file:///opt/my%20tools/surveyor"), "/opt/my tools/surveyor");
  assert.equal(pastedPath("~/bin/surveyor"), "~/bin/surveyor");
});
