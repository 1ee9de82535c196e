import assert from "node:assert/strict";
import { test } from "node:test";
import { pathOf, svgOf } from "../src/agentPath";
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

test("a picture marks what was edited and lets no name become markup", () => {
  const svg = svgOf(pathOf([call("edit", place('<b>"x".py', "edited"))]));
  assert.match(svg, /class="step edited"/);
  assert.ok(!svg.includes("<b>"));
  assert.match(svg, /&lt;b&gt;&quot;x&quot;\.py/);
  assert.equal((svg.match(/<rect/g) ?? []).length, 1);
});
