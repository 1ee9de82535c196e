import assert from "node:assert/strict";
import { test } from "node:test";
import { graphOf } from "../src/drawing";
import type { Graph } from "../src/graphPage/graph";
import { fitted, HEIGHT, layoutOf } from "../src/graphPage/layout";
import type { GraphAnswer, GraphBox } from "../src/protocol";

const box = (name: string, changes: Partial<GraphBox> = {}): GraphBox => ({
  uri: "file:///p/a.py",
  range: { start: { line: 3, character: 0 }, end: { line: 3, character: 0 } },
  name,
  path: "a.py",
  kind: "function",
  isTest: false,
  isSubject: false,
  members: [],
  ...changes,
});

const answer = (changes: Partial<GraphAnswer>): GraphAnswer => ({
  symbol: "pay",
  boxes: [],
  arrows: [],
  omitted: 0,
  filesTotal: 0,
  precision: "syntax",
  complete: true,
  ...changes,
});

test("boxes say what they are, and the note what is left out and why", () => {
  const boxes = [box("pay", { isSubject: true }), box("test_pay", { isTest: true })];
  const graph = graphOf("impact", answer({ boxes, arrows: [{ source: 1, target: 0, uses: 1 }], omitted: 7, complete: false, notice: "2 places name it" }));
  assert.equal(graph.title, "Impact of pay");
  assert.deepEqual(graph.nodes.map((node) => [node.name, node.detail, node.mark]), [["pay", "a.py:4", "subject"], ["test_pay", "a.py:4", "test"]]);
  assert.equal(graph.note, "2 places, 1 arrow; syntax; 7 more arrows left out; not complete: 2 places name it.");
});

test("a map counts files, and its arrows uses", () => {
  const files = [box("", { members: [{ name: "f", kind: "function", line: 9, signature: "def f()" }] }), box("", { path: "b.py" })];
  const graph = graphOf("map", answer({ symbol: "shop", boxes: files, arrows: [{ source: 1, target: 0, uses: 3 }], filesTotal: 216 }));
  assert.equal(graph.note, "2 of 216 files, the most important first.");
  assert.deepEqual(graph.nodes[0], { name: "a.py", detail: "1 definition", mark: "", members: [{ name: "f", detail: "def f()", line: 9 }] });
  assert.equal(graph.edges[0]?.about, "3 uses");
});

const graph = (count: number, edges: [number, number][]): Graph => ({
  title: "",
  note: "",
  out: "",
  into: "",
  nodes: Array.from({ length: count }, (_, number) => ({ name: `node${number}`, detail: "a.py:1", mark: "" })),
  edges: edges.map(([source, target]) => ({ source, target })),
});

test("users stand left of what they use, and no box covers another", () => {
  // A cycle, an arrow to itself, boxes that nothing joins: as graphs of code have them.
  const edges: [number, number][] = [[0, 1], [1, 2], [2, 0], [3, 1], [3, 3], [1, 2]];
  const { boxes, lines, width, height } = layoutOf(graph(40, edges));
  assert.ok((boxes[3]?.x ?? 0) < (boxes[1]?.x ?? 0));
  assert.deepEqual(lines.map((points) => points.length > 0), [true, true, true, true, false, true]);
  boxes.forEach((one, number) => {
    assert.ok(one.x >= 0 && one.x + one.width <= width && one.y >= 0 && one.y + HEIGHT <= height, `box ${number} is outside`);
    for (const other of boxes.slice(number + 1)) {
      const apart = one.x + one.width <= other.x || other.x + other.width <= one.x || Math.abs(one.y - other.y) >= HEIGHT;
      assert.ok(apart, "boxes overlap");
    }
  });
});

test("a long name keeps its end, by characters", () => {
  assert.equal(fitted("short.py"), "short.py");
  const name = fitted("\u{1F4C1}".repeat(80) + "end.py");
  assert.ok(name.startsWith("…") && name.endsWith("end.py"));
  assert.doesNotMatch(name, /(^|[^\uD800-\uDBFF])[\uDC00-\uDFFF]/, "half a character");
});

test("nothing to draw is an empty page", () => {
  const { boxes, lines } = layoutOf(graph(0, []));
  assert.deepEqual([boxes, lines], [[], []]);
});
