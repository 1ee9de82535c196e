/** Owns the Search view: queries, their files, the hits in them and the snippets' lines. */

import * as vscode from "vscode";
import { asAgentContext, asMarkdown, counted, firstLine, highlights, iconOf, nameOf, resultsMessage, summarise } from "../format";
import { whyNoServer } from "../noServer";
import { canOpen } from "../open";
import type { SearchHit, SearchParams } from "../protocol";
import { settings } from "../settings";
import { type Outcome, type Searcher, wholeWindow } from "../searcher";

const SNIPPET_LINES = 12;

export interface QueryNode {
  type: "query";
  query: string;
  pinned: boolean;
  outcome: Outcome | undefined;
  problem?: string;
  busy?: boolean;
  /** Whether there was no server to answer it; it is asked again once there is one. */
  unserved?: boolean;
  /** In milliseconds, when it was asked last. */
  askedAt?: number;
  /** How far a search that takes long is. */
  progress?: string;
}
interface FileNode {
  type: "file";
  path: string;
  project: string;
  hits: SearchHit[];
  parent: QueryNode;
}
export interface HitNode {
  type: "hit";
  hit: SearchHit;
  parent: FileNode;
}
interface LineNode {
  type: "line";
  text: string;
  line: number;
  parent: HitNode;
}
interface MoreNode {
  type: "more";
  parent: QueryNode;
}
export type Node = QueryNode | FileNode | HitNode | LineNode | MoreNode;

/** While the index is being made, what is not all there yet is asked for again, at most this often. */
const AGAIN_MS = 1000;

/** As many as one search gives. */
const MOST_RESULTS = 200;

export class SearchView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly emitter = new vscode.EventEmitter<Node | undefined>();
  readonly onDidChangeTreeData = this.emitter.event;
  private queries: QueryNode[] = [];
  private readonly tree: vscode.TreeView<Node>;
  private readonly following: vscode.Disposable;

  constructor(private readonly searcher: Searcher) {
    this.tree = vscode.window.createTreeView<Node>("surveyor.searchView", {
      treeDataProvider: this,
      showCollapseAll: true,
      canSelectMany: true,
    });
    const { controller } = searcher;
    this.following = vscode.Disposable.from(
      controller.onDidChangeState(() => controller.state === "running" && this.askAgain((node) => node.unserved === true)),
      controller.onDidChangeStatus((status) => {
        const isDone = summarise(status).busy === false;
        this.askAgain((node) => isUnfinished(node) && (isDone || node.outcome?.results.length === 0));
      }),
    );
  }

  dispose(): void {
    this.following.dispose();
    this.tree.dispose();
    this.emitter.dispose();
  }

  /**
   * Puts a query at the top, in place of the last one that is not pinned. The view takes the
   * focus before the search starts, never when the answer comes: the user may be elsewhere then.
   */
  async show(query: string): Promise<void> {
    const known = this.queries.find((node) => node.query === query);
    const node: QueryNode = known ?? { type: "query", query, pinned: false, outcome: undefined };
    this.queries = [node, ...this.queries.filter((other) => other !== node && other.pinned)];
    node.busy = true;
    await this.changed();
    try {
      await this.tree.reveal(node, { focus: true, select: false });
    } catch {
      // Another query has taken its place meanwhile.
    }
    await this.fill(node);
  }

  /** Asks what could not be answered, or not in full, but not on each word from the server. */
  private askAgain(isMeant: (node: QueryNode) => boolean): void {
    for (const node of this.queries) {
      if (!node.busy && isMeant(node) && Date.now() - (node.askedAt ?? 0) >= AGAIN_MS) {
        void this.fill(node);
      }
    }
  }

  async refresh(node?: Node): Promise<void> {
    const wanted = node?.type === "query" ? [node] : this.queries;
    await Promise.all(wanted.map((query) => this.fill(query)));
  }

  /** Adds what the limit has left out: the next page of exact text, a longer list of what is meant. */
  async showMore({ parent: node }: MoreNode): Promise<void> {
    const before = node.outcome;
    if (!before || node.busy) {
      return;
    }
    const offset = before.nextOffset ?? undefined;
    await this.fill(node, offset === undefined ? { limit: MOST_RESULTS } : { offset, limit: MOST_RESULTS });
    if (offset !== undefined && node.outcome) {
      node.outcome = { ...node.outcome, results: [...before.results, ...node.outcome.results] };
      this.emitter.fire(node);
    } else if (!node.outcome) {
      node.outcome = before;
    }
  }

  private async fill(node: QueryNode, page?: Pick<SearchParams, "limit" | "offset">): Promise<void> {
    delete node.problem;
    node.unserved = false;
    node.askedAt = Date.now();
    node.busy = true;
    this.emitter.fire(node);
    try {
      node.outcome = await this.searcher.searchShown(node.query, wholeWindow(), (message) => {
        node.progress = message;
        this.emitter.fire(node);
      }, page);
      node.unserved = node.outcome === undefined && this.searcher.controller.state !== "running";
      if (node.unserved) {
        node.problem = whyNoServer(this.searcher.controller);
      }
    } catch (error) {
      node.outcome = undefined;
      node.problem = error instanceof Error ? error.message : String(error);
    }
    node.busy = false;
    delete node.progress;
    this.emitter.fire(node);
  }

  /** Tells the editor that queries came or went. */
  private async changed(): Promise<void> {
    await vscode.commands.executeCommand("setContext", "surveyor.hasResults", this.queries.length > 0);
    this.emitter.fire(undefined);
  }

  pin(node: Node | undefined, pinned: boolean): void {
    const query = node ? queryOf(node) : this.queries[0];
    if (query) {
      query.pinned = pinned;
      this.emitter.fire(query);
    }
  }

  clear(): void {
    this.queries = this.queries.filter((node) => node.pinned);
    void this.changed();
  }

  /** Copies what is under a node, or everything shown. */
  async copy(node: Node | undefined, selected: readonly Node[] | undefined, form: "markdown" | "context"): Promise<void> {
    const nodes = selected && selected.length > 1 ? selected : node ? [node] : this.queries;
    const hits = [...new Set(nodes.flatMap(hitsOf))];
    const [first] = nodes;
    const query = first ? queryOf(first).query : "";
    await vscode.env.clipboard.writeText(form === "markdown" ? asMarkdown(query, hits) : asAgentContext(query, hits));
    vscode.window.setStatusBarMessage(`Surveyor: copied ${counted(hits.length, "result")}`, 3000);
  }

  getParent(node: Node): Node | undefined {
    return node.type === "query" ? undefined : node.parent;
  }

  getChildren(node?: Node): Node[] {
    if (!node) {
      return this.queries;
    }
    switch (node.type) {
      case "query": {
        const files = new Map<string, FileNode>();
        for (const hit of node.outcome?.results ?? []) {
          const file = files.get(hit.uri || hit.path) ?? { type: "file", path: hit.path, project: hit.project, hits: [], parent: node };
          file.hits.push(hit);
          files.set(hit.uri || hit.path, file);
        }
        return hasMore(node) ? [...files.values(), { type: "more", parent: node }] : [...files.values()];
      }
      case "file":
        return node.hits.map((hit) => ({ type: "hit", hit, parent: node }));
      case "hit":
        return node.hit.snippet
          .replace(/\s+$/, "")
          .split(/\r?\n/)
          .slice(0, SNIPPET_LINES)
          .map((text, index) => ({ type: "line", text, line: node.hit.range.start.line + index, parent: node }));
      case "line":
      case "more":
        return [];
    }
  }

  getTreeItem(node: Node): vscode.TreeItem {
    switch (node.type) {
      case "query":
        return queryItem(node);
      case "file":
        return fileItem(node);
      case "hit":
        return hitItem(node);
      case "line":
        return lineItem(node);
      case "more":
        return moreItem(node);
    }
  }
}

/** Whether the answer came from an index that was still being made. */
function isUnfinished({ outcome }: QueryNode): boolean {
  return outcome?.status === "indexing";
}

/** Whether the limit has left something out, as far as that is known. */
function hasMore({ outcome }: QueryNode): boolean {
  if (!outcome || outcome.results.length === 0) {
    return false;
  }
  const isExact = outcome.matches !== undefined && outcome.matches !== null;
  const limit = settings.searchLimit();
  return isExact ? typeof outcome.nextOffset === "number" : outcome.results.length === limit && limit < MOST_RESULTS;
}

function moreItem(node: MoreNode): vscode.TreeItem {
  const item = new vscode.TreeItem("Show More Results");
  item.iconPath = new vscode.ThemeIcon("ellipsis");
  item.command = { command: "surveyor.searchView.showMore", title: "Show More Results", arguments: [node] };
  return item;
}

function queryOf(node: Node): QueryNode {
  return node.type === "query" ? node : queryOf(node.parent);
}

function hitsOf(node: Node): SearchHit[] {
  switch (node.type) {
    case "query":
      return node.outcome?.results ?? [];
    case "file":
      return node.hits;
    case "hit":
      return [node.hit];
    case "line":
      return [node.parent.hit];
    case "more":
      return [];
  }
}

function queryItem(node: QueryNode): vscode.TreeItem {
  const item = new vscode.TreeItem(node.query, vscode.TreeItemCollapsibleState.Expanded);
  const { outcome } = node;
  item.iconPath = new vscode.ThemeIcon(node.pinned ? "pinned" : "search");
  item.contextValue = node.pinned ? "query.pinned" : "query";
  if (node.busy) {
    item.description = node.progress ? `searching… ${node.progress}` : "searching…";
    return item;
  }
  item.description = node.problem ?? (outcome ? resultsMessage(outcome) : "no answer");
  item.tooltip = [node.query, item.description, outcome?.notice].filter(Boolean).join("\n");
  const incomplete = outcome?.incomplete?.join(" ") ?? "";
  if (outcome && (outcome.matches === undefined || outcome.matches === null) && outcome.notice) {
    item.description += ` — ${outcome.notice}`;
  } else if (incomplete) {
    item.description += ` — ${incomplete}`;
  } else if (isUnfinished(node)) {
    item.description += ", the index is being made";
  } else if (outcome && outcome.filesBehind > 0) {
    item.description += `, ${counted(outcome.filesBehind, "file")} behind`;
  }
  item.accessibilityInformation = { label: `search ${node.query}, ${item.description}` };
  return item;
}

function fileItem(node: FileNode): vscode.TreeItem {
  const [hit] = node.hits;
  const isFile = hit !== undefined && canOpen(hit);
  const item = new vscode.TreeItem(
    isFile ? vscode.Uri.parse(hit.uri) : vscode.Uri.file(node.path),
    vscode.TreeItemCollapsibleState.Expanded,
  );
  item.label = node.path.split("/").pop() ?? node.path;
  item.description = `${node.path.split("/").slice(0, -1).join("/")} ${node.hits.length}`.trim();
  item.iconPath = isFile ? vscode.ThemeIcon.File : new vscode.ThemeIcon(iconOf(hit ?? { kind: "doc" }));
  item.contextValue = "file";
  const label = `${isFile ? "file" : "document"} ${node.path}, ${counted(node.hits.length, "result")}`;
  item.accessibilityInformation = { label };
  return item;
}

function hitItem(node: HitNode): vscode.TreeItem {
  const { hit } = node;
  const name = nameOf(hit);
  const item = new vscode.TreeItem(
    { label: name, highlights: highlights(name, queryOf(node).query) },
    vscode.TreeItemCollapsibleState.Collapsed,
  );
  const place = hit.startLine === hit.endLine ? `${hit.startLine}` : `${hit.startLine}–${hit.endLine}`;
  const said = hit.signature || firstLine(hit.snippet);
  item.description = [hit.container, place, hit.unsavedVersion ? "unsaved" : "", said].filter(Boolean).join("  ");
  item.iconPath = new vscode.ThemeIcon(iconOf(hit));
  item.tooltip = new vscode.MarkdownString().appendCodeblock(hit.snippet, hit.language ?? "");
  item.tooltip.appendText(`\n${hit.path}:${hit.startLine} — confidence ${hit.confidence.toFixed(2)}`);
  item.contextValue = "hit";
  item.command = { command: "surveyor.openResult", title: "Open", arguments: [node] };
  const member = hit.container ? `${hit.kind} of ${hit.container}` : hit.kind;
  item.accessibilityInformation = { label: `${name}, ${member}, ${hit.path} line ${hit.startLine}` };
  return item;
}

function lineItem(node: LineNode): vscode.TreeItem {
  const text = node.text.replaceAll("\t", "    ");
  const item = new vscode.TreeItem({ label: text || " ", highlights: highlights(text, queryOf(node).query) });
  item.contextValue = "line";
  item.command = { command: "surveyor.openResult", title: "Open", arguments: [node] };
  item.accessibilityInformation = { label: `line ${node.line + 1}: ${text.trim()}` };
  return item;
}

/** The hit of a node that was clicked, and the line in it. */
export function targetOf(node: Node): { hit: SearchHit; line: number | undefined } | undefined {
  if (node.type === "hit") {
    return { hit: node.hit, line: undefined };
  }
  return node.type === "line" ? { hit: node.parent.hit, line: node.line } : undefined;
}
