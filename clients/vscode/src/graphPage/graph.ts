/** Owns what the page of a graph is told: boxes and arrows with their words, whoever draws it. */

/** A line below a box's details that can be opened by itself. */
export interface GraphMember {
  name: string;
  detail: string;
  line: number;
}

export interface GraphNode {
  name: string;
  /** Where it is, or what was done there. */
  detail: string;
  /** `subject`, `test`, `edited` or nothing: how it is marked, and said to a screen reader. */
  mark: "" | "subject" | "test" | "edited";
  members?: GraphMember[];
}

export interface GraphEdge {
  source: number;
  target: number;
  /** In words, for its tooltip. */
  about?: string;
}

export interface Graph {
  title: string;
  /** What is left out, and how sure it is. */
  note: string;
  /** How an arrow reads from its source and from its target, as in "uses" and "used by". */
  out: string;
  into: string;
  nodes: GraphNode[];
  edges: GraphEdge[];
}

/** What the page tells its host: that it can be told a graph, or what is to be opened. */
export type PageMessage = { ready: true } | { node: number; line?: number };
