import assert from "node:assert/strict";
import { test } from "node:test";
import { graphOfPath, pathOf } from "../src/agentPath";
import type { AgentCall, AgentPlace } from "../src/protocol";

const place = (path: string, kind: "read" | "edited", line = 0): AgentPlace => ({
  uri: `file:///p/${path}`,
  path,
  range: { start: { line, character: 0 }, end: { line, character: 0 } },
  kind,
});

const call = (tool: string, ...places: AgentPlace[]): AgentCall => ({
  id: 1,
  session: "s",
  client: "robot",
  at: 0,
  tool,
  asked: "",
  outcome: "",
  failed: false,
  places,
});

test("a path has each file once, in the order in which the session came to it", () => {
  const path = pathOf([
    call("search", place("a.py", "read"), place("b.py", "read")),
    call("edit", place("a.py", "edited", 4)),
    call("retrieve", place("a.py", "read")),
  ]);
  assert.deepEqual(
    path.steps.map((step) => [step.path, step.reads, step.edits]),
    [["a.py", 2, 1], ["b.py", 1, 0]],
  );
  assert.equal(path.steps[0]?.place.range.start.line, 4);
  assert.deepEqual(path.ways, [
    { from: 0, to: 1, tool: "search" },
    { from: 1, to: 0, tool: "edit" },
  ]);
});

test("a path is drawn with what was edited marked, and by which tool each file was come to", () => {
  const graph = graphOfPath(pathOf([call("search", place("a.py", "read")), call("edit", place("b.py", "edited"))]), "Path of robot", "2 calls");
  assert.deepEqual(
    graph.nodes.map((node) => [node.name, node.detail, node.mark]),
    [["1. a.py", "read", ""], ["2. b.py", "edited", "edited"]],
  );
  assert.deepEqual(graph.edges, [{ source: 0, target: 1, about: "edit" }]);
  assert.match(graphOfPath(pathOf([]), "Path of robot", "").note, /no file yet/);
});
