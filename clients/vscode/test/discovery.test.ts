import assert from "node:assert/strict";
import { test } from "node:test";
import {
  besideInterpreter,
  dataFolder,
  expandPath,
  findCandidates,
  readServerPackage,
  type Surroundings,
} from "../src/discovery";

const MANAGED = "/data/environments/editor/bin/surveyor";

function surroundings(existing: string[], changes: Partial<Surroundings> = {}): Surroundings {
  return {
    trusted: true,
    importStrategy: "fromEnvironment",
    configuredPath: "",
    interpreters: ["/venv/bin/python", "/code/project/.venv/bin/python"],
    pathFolders: ["/usr/bin", "relative", "/code/project/bin"],
    home: "/home/a",
    workspaceFolders: ["/code/project"],
    managed: MANAGED,
    platform: "linux",
    exists: (file) => existing.includes(file),
    ...changes,
  };
}

const EVERYWHERE = ["/venv/bin/surveyor", "/code/project/.venv/bin/surveyor", "/usr/bin/surveyor", "/code/project/bin/surveyor", MANAGED];

const sources = (s: Surroundings): string[] => findCandidates(s).candidates.map((c) => c.command);

test("the interpreter's environment comes before the PATH and the managed environment", () => {
  assert.deepEqual(sources(surroundings(EVERYWHERE)), [
    "/venv/bin/surveyor",
    "/code/project/.venv/bin/surveyor",
    "/usr/bin/surveyor",
    MANAGED,
  ]);
});

test("programs of the user are found where the editor's PATH lacks them", () => {
  const ofUser = "/home/a/.local/bin/surveyor";
  assert.deepEqual(sources(surroundings([ofUser, MANAGED])), [ofUser, MANAGED]);
  assert.deepEqual(sources(surroundings([ofUser], { pathFolders: ["/home/a/.local/bin"] })), [ofUser]);
  assert.deepEqual(sources(surroundings([ofUser], { trusted: false, workspaceFolders: ["/home/a"] })), []);
});

test("useManaged puts the managed environment first", () => {
  assert.equal(sources(surroundings(EVERYWHERE, { importStrategy: "useManaged" }))[0], MANAGED);
});

test("an untrusted workspace offers nothing of its own, not even through the PATH", () => {
  assert.deepEqual(sources(surroundings(EVERYWHERE, { trusted: false })), [MANAGED, "/usr/bin/surveyor"]);
  assert.deepEqual(sources(surroundings(["/code/project/bin/surveyor"], { trusted: false })), []);
});

test("a configured path is the only one meant, also when it is wrong", () => {
  assert.deepEqual(sources(surroundings([...EVERYWHERE, "/opt/s"], { configuredPath: "/opt/s" })), ["/opt/s"]);
  const wrong = findCandidates(surroundings(EVERYWHERE, { configuredPath: "/opt/none" }));
  assert.deepEqual(wrong.candidates, []);
  assert.match(wrong.missing.join(), /surveyor\.server\.path: \/opt\/none/);
});

test("what was looked at in vain is said", () => {
  const { candidates, missing } = findCandidates(surroundings([]));
  assert.deepEqual(candidates, []);
  assert.equal(missing.length, 5);
});

test("the command lies beside the interpreter, in Scripts on Windows", () => {
  assert.equal(besideInterpreter("/v/bin/python3.12", "linux"), "/v/bin/surveyor");
  assert.equal(besideInterpreter("C:\\v\\Scripts\\python.exe", "win32"), "C:\\v\\Scripts\\surveyor.exe");
  assert.equal(besideInterpreter("C:\\py\\python.exe", "win32"), "C:\\py\\Scripts\\surveyor.exe");
});

test("a server package is a wheel, a folder or a pinned name, and nothing else", () => {
  const exists = (file: string): boolean => ["/d/s-1-py3-none-any.whl", "/src", "/src/pyproject.toml", "/empty"].includes(file);
  assert.equal(readServerPackage(" /d/s-1-py3-none-any.whl ", exists).kind, "wheel");
  assert.equal(readServerPackage("/src", exists).kind, "folder");
  assert.equal(readServerPackage("surveyor==0.1.0", exists).kind, "pinned");
  for (const bad of ["", "surveyor", "surveyor>=1", "surveyor==", "surveyor==*", "surveyor==1 --index-url=x", "-r x", "./a.whl", "/gone.whl", "/empty", "git+ssh://x"]) {
    assert.throws(() => readServerPackage(bad, exists), Error, bad);
  }
});

test("paths in settings know the home and the workspace folder", () => {
  assert.equal(expandPath("~/bin/s", "/home/a", undefined), "/home/a/bin/s");
  assert.equal(expandPath("${userHome}/s", "/home/a", undefined), "/home/a/s");
  assert.equal(expandPath("${workspaceFolder}/.venv/bin/s", "/home/a", "/w"), "/w/.venv/bin/s");
  assert.equal(expandPath("  ", "/home/a", "/w"), "");
});

test("the data folder follows the server's rules", () => {
  assert.equal(dataFolder({ SURVEYOR_DATA_DIR: "~/d" }, "/h", "linux"), "/h/d");
  assert.equal(dataFolder({ XDG_DATA_HOME: "/x" }, "/h", "linux"), "/x/surveyor");
  assert.equal(dataFolder({}, "/h", "linux"), "/h/.local/share/surveyor");
  assert.equal(dataFolder({}, "/h", "darwin"), "/h/Library/Application Support/surveyor");
});
