/** Owns where boxes and arrows lie: dagre's layers, and rows for boxes without an arrow. Pure. */

import { Graph as DagreGraph, layout } from "@dagrejs/dagre";
import type { Graph } from "./graph";

export const HEIGHT = 42;
const LEAST_WIDTH = 90;
const MOST_WIDTH = 300;
const CHAR_WIDTH = 7.2;
const GAP = 16;

export interface Box {
  x: number;
  y: number;
  width: number;
}

export interface Layout {
  /** By node: its upper left corner. */
  boxes: Box[];
  /** By edge: the points of its line; none for an arrow from a box to itself. */
  lines: { x: number; y: number }[][];
  width: number;
  height: number;
}

export function widthOf(text: string): number {
  return Math.min(MOST_WIDTH, Math.max(LEAST_WIDTH, Math.ceil([...text].length * CHAR_WIDTH) + 20));
}

/** A text that fits a box; the end of a name says more than its beginning. */
export function fitted(text: string): string {
  const most = Math.floor((MOST_WIDTH - 20) / CHAR_WIDTH);
  const characters = [...text];
  return characters.length <= most ? text : `…${characters.slice(1 - most).join("")}`;
}

export function layoutOf(graph: Graph): Layout {
  const widths = graph.nodes.map((node) => Math.max(widthOf(node.name), widthOf(node.detail)));
  const joined = new Set(graph.edges.filter((e) => e.source !== e.target).flatMap((e) => [e.source, e.target]));
  const drawn = new DagreGraph();
  drawn.setGraph({ rankdir: "LR", nodesep: 14, ranksep: 70, marginx: GAP, marginy: GAP });
  drawn.setDefaultEdgeLabel(() => ({}));
  for (const number of joined) {
    drawn.setNode(String(number), { width: widths[number] ?? LEAST_WIDTH, height: HEIGHT });
  }
  for (const edge of graph.edges) {
    if (edge.source !== edge.target) {
      drawn.setEdge(String(edge.source), String(edge.target));
    }
  }
  if (joined.size > 0) {
    layout(drawn);
  }
  const size = drawn.graph() as { width?: number; height?: number };
  const boxes: Box[] = widths.map((width) => ({ x: 0, y: 0, width }));
  for (const number of joined) {
    const at = drawn.node(String(number)) as { x: number; y: number };
    const width = widths[number] ?? LEAST_WIDTH;
    boxes[number] = { x: at.x - width / 2, y: at.y - HEIGHT / 2, width };
  }
  const lines = graph.edges.map((edge) =>
    edge.source === edge.target
      ? []
      : ((drawn.edge(String(edge.source), String(edge.target)) as { points?: { x: number; y: number }[] }).points ?? []),
  );
  const below = inRows(boxes, joined, Math.max(size.width ?? 0, 900), joined.size > 0 ? (size.height ?? 0) + GAP : GAP);
  const right = Math.max(size.width ?? 0, ...boxes.map((box) => box.x + box.width + GAP));
  return { boxes, lines, width: right, height: below };
}

/** Puts the boxes without an arrow in rows below the others; returns where they end. */
function inRows(boxes: Box[], joined: ReadonlySet<number>, width: number, top: number): number {
  let x = GAP;
  let y = top;
  let hasAny = false;
  boxes.forEach((box, number) => {
    if (joined.has(number)) {
      return;
    }
    if (hasAny && x + box.width + GAP > width) {
      x = GAP;
      y += HEIGHT + GAP;
    }
    Object.assign(box, { x, y });
    x += box.width + GAP;
    hasAny = true;
  });
  return hasAny ? y + HEIGHT + GAP : top;
}
