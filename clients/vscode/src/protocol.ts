/**
 * Owns the shapes of Surveyor's custom LSP requests, as docs/lsp.md describes them.
 *
 * Positions and ranges are LSP's (0-based, UTF-16); `startLine` and `endLine` are 1-based.
 */

import type { IndexStatus, SearchMode } from "./generated/enumerations";

export interface Position {
  line: number;
  character: number;
}

export interface Range {
  start: Position;
  end: Position;
}

export interface SearchParams {
  query: string;
  limit?: number;
  mode?: SearchMode;
  languages?: string[];
  paths?: string[];
  kinds?: string[];
  types?: string[];
  in?: string[];
  uri?: string;
  /** Of the modes `literal` and `regex`; the next two of `pattern` as well. */
  ignoreCase?: boolean;
  contextLines?: number;
  offset?: number;
}

export interface SearchHit {
  uri: string;
  range: Range;
  path: string;
  startLine: number;
  endLine: number;
  language?: string | null;
  kind: string;
  symbol?: string | null;
  container?: string | null;
  score: number;
  confidence: number;
  snippet: string;
  source: string;
  project: string;
  branch?: string | null;
  id: string;
  title?: string | null;
  unsavedVersion?: number | null;
  line?: number;
  signature?: string | null;
  /** Why code is called similar. */
  reasons?: string[];
}

export interface SearchAnswer {
  results: SearchHit[];
  status: IndexStatus;
  filesBehind: number;
  revision: number;
  tookMs: number;
  notice?: string | null;
  /** Of exact text: how many matches and files in all, where the next page begins, what was not searched. */
  matches?: number | null;
  files?: number | null;
  nextOffset?: number | null;
  incomplete?: string[];
}

export interface SimilarParams {
  textDocument: { uri: string };
  range: Range;
  limit?: number;
}

export interface ScorePart {
  name: string;
  operation: "add" | "multiply";
  value: number;
  score: number;
}

export interface ExplainAnswer {
  parts: ScorePart[];
  score: number;
  confidence: number;
}

export interface ImpactParams {
  textDocument: { uri: string };
  position: Position;
  depth?: number;
  limit?: number;
}

export interface ImpactItem {
  uri: string;
  range: Range;
  name: string;
  kind: string;
  depth: number;
  isTest: boolean;
  via?: string[] | null;
}

export interface ImpactAnswer {
  symbol: string | { name: string; kind?: string } | null;
  precision: string;
  complete: boolean;
  inbound: ImpactItem[];
  outbound: ImpactItem[];
  omitted?: number;
  notice?: string | null;
}

export type GraphSubject = "impact" | "callers" | "callees" | "map";

export interface GraphParams {
  about: GraphSubject;
  textDocument?: { uri: string };
  position?: Position;
  uri?: string;
  depth?: number;
  tokens?: number;
}

export interface GraphBox {
  uri: string;
  range: Range;
  /** Empty for a file. */
  name: string;
  path: string;
  kind: string;
  isTest: boolean;
  isSubject: boolean;
  members: { name: string; kind: string; line: number; signature: string }[];
}

export interface GraphAnswer {
  symbol: string;
  boxes: GraphBox[];
  arrows: { source: number; target: number; uses: number }[];
  omitted: number;
  filesTotal: number;
  precision: string;
  complete: boolean;
  notice?: string | null;
}

export interface CheckedPlace {
  uri: string;
  range: Range;
  path: string;
  kind: string;
  certainty: "certain" | "likely";
  message: string;
  symbol: string;
  about: string;
  isTest: boolean;
}

export interface CheckAnswer {
  root: string;
  places: CheckedPlace[];
  /** Paths from the root. */
  tests: string[];
  complete: boolean;
  notice?: string | null;
  /** What language servers did not look at. */
  unasked?: string[];
}

export interface HistoryParams {
  textDocument: { uri: string };
  /** Empty: the definition that is named there, or is around it. */
  range: Range;
  limit?: number;
}

export interface CodeCommit {
  commit: string;
  author: string;
  date: string;
  subject: string;
  body: string;
  path: string;
  startLine: number;
  endLine: number;
  added: number;
  removed: number;
  /** What it did to the code, with all lines of it. */
  diff: string;
  movedFrom?: string | null;
  renamedFrom?: string | null;
  introduced: boolean;
}

export interface HistoryAnswer {
  /** None for lines. */
  symbol: string | null;
  path: string;
  uri: string;
  range: Range;
  commits: CodeCommit[];
  notice?: string | null;
}

export interface FailedPlace {
  uri: string;
  range: Range;
  path: string;
  test: string;
  message: string;
  symbol: string;
}

export interface TestAnswer {
  root: string;
  ok: boolean;
  passed: number;
  failed: number;
  skipped: number;
  failures: FailedPlace[];
  notRun: string[];
  output: string;
  notice?: string | null;
}

export interface RememberParams {
  textDocument?: { uri: string };
  position?: Position;
  label: string;
  title?: string;
  content: string;
  scope: "project" | "global";
  tags?: string[];
}

export interface RememberAnswer {
  status: "done" | "queued";
  label: string;
  queueId?: string | null;
}

export interface Rule {
  label: string;
  title?: string | null;
  content: string;
  scope: "project" | "global";
  anchor?: string | null;
  /** The code that it is about, where that is. */
  uri?: string | null;
  range?: Range | null;
  needsReview: boolean;
  /** The folder of the window that it was asked for, which says its project; not the server's. */
  folder?: string;
}

export interface ProjectState {
  root: string;
  name: string;
  status: IndexStatus;
  reason?: string | null;
  message?: string | null;
  filesBehind: number;
  files: number;
  chunks: number;
  skipped: number;
  indexing?: { phase: string; done: number; total: number } | null;
  paused: boolean;
  diskBytes?: number | null;
}

export interface UpstreamState {
  name: string;
  language: string;
  state: string;
  ready: boolean;
  mode: string;
  reason?: string | null;
  memoryBytes: number;
  restarts: number;
  root: string;
}

export interface ServerLogAnswer {
  name: string;
  text: string;
}

export interface StatusAnswer {
  engine: { state: string; version: string; message?: string | null };
  projects: ProjectState[];
  upstreams: UpstreamState[];
}

export interface SkippedAnswer {
  files: { path: string; reason: string; detail: string }[];
}

export type ControlAction = "pause" | "resume" | "skip" | "remove";

export interface AgentPlace {
  uri: string;
  path: string;
  range: Range;
  kind: "read" | "edited";
}

/** One call of an agent's tool: an item of the answer, and the notification `surveyor/activity`. */
export interface AgentCall {
  id: number;
  session: string;
  client: string;
  /** Seconds since 1970. */
  at: number;
  tool: string;
  asked: string;
  outcome: string;
  failed: boolean;
  places: AgentPlace[];
}

export interface AgentSession {
  session: string;
  client: string;
  root: string;
  first: number;
  last: number;
  calls: number;
  edits: number;
  open: boolean;
}

export interface ActivityAnswer {
  sessions: AgentSession[];
  calls: AgentCall[];
  kept: boolean;
}
