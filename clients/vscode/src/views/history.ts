/** Owns the History view: the commits that changed a definition or lines, and what each did there. */

import * as path from "node:path";
import * as vscode from "vscode";
import type { ServerController } from "../client";
import { originOf, shortId, sidesOf, sizeOf } from "../commits";
import { counted } from "../format";
import { sayNoServer, whyNoServer } from "../noServer";
import type { CodeCommit, HistoryAnswer, HistoryParams } from "../protocol";
import { VirtualDocuments } from "../virtualDocuments";

const VIEW = "surveyor.historyView";
const SHOWN = 50;
/** Enough for every commit that there is. */
const EVERY = 10_000;

interface RestNode {
  rest: true;
}
export type HistoryNode = CodeCommit | RestNode;

export class HistoryView implements vscode.TreeDataProvider<HistoryNode>, vscode.Disposable {
  private readonly emitter = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.emitter.event;
  private readonly documents = new VirtualDocuments("surveyor-commit");
  private readonly tree: vscode.TreeView<HistoryNode>;
  private commits: CodeCommit[] = [];
  private last: HistoryParams | undefined;
  private name = "";

  constructor(private readonly controller: ServerController) {
    this.tree = vscode.window.createTreeView<HistoryNode>(VIEW, { treeDataProvider: this });
  }

  dispose(): void {
    vscode.Disposable.from(this.tree, this.emitter, this.documents).dispose();
  }

  /** Asks for the commits that changed the definition at an empty range, or a range's lines. */
  async show(params: HistoryParams): Promise<void> {
    this.last = params;
    // The view is there only once it has something to show.
    await vscode.commands.executeCommand("setContext", "surveyor.hasHistory", true);
    await vscode.commands.executeCommand(`${VIEW}.focus`);
    let answer: HistoryAnswer | undefined;
    try {
      answer = await vscode.window.withProgress({ location: { viewId: VIEW } }, () =>
        this.controller.request<HistoryAnswer>("surveyor/history", { limit: SHOWN, ...params }),
      );
    } catch (error) {
      this.clear(error instanceof Error ? error.message : String(error));
      return;
    }
    if (!answer) {
      this.clear(`${whyNoServer(this.controller)}.`);
      void sayNoServer(this.controller);
      return;
    }
    const { start, end } = answer.range;
    this.name = answer.symbol ?? `${path.posix.basename(answer.path)}:${start.line + 1}–${end.line + 1}`;
    this.commits = answer.commits;
    this.tree.description = this.name; // a title would be written with capitals
    const found = `${counted(answer.commits.length, "commit")} changed ${answer.symbol ?? "these lines"}.`;
    this.tree.message = [found, answer.notice].filter(Boolean).join(" ");
    this.emitter.fire(undefined);
  }

  private clear(message: string): void {
    this.commits = [];
    this.tree.description = "";
    this.tree.message = message;
    this.emitter.fire(undefined);
  }

  async refresh(): Promise<void> {
    if (this.last) {
      await this.show(this.last);
    }
  }

  /** Takes the view away until it is asked for again: it needs the others' room. */
  async close(): Promise<void> {
    this.last = undefined;
    this.clear("");
    await vscode.commands.executeCommand("setContext", "surveyor.hasHistory", false);
  }

  async showRest(): Promise<void> {
    if (this.last) {
      await this.show({ ...this.last, limit: EVERY });
    }
  }

  /** Shows what a commit did to the code, side by side. */
  async open(commit: CodeCommit): Promise<void> {
    const { before, after } = sidesOf(commit.diff);
    const put = (side: string, text: string): vscode.Uri =>
      this.documents.put(commit.commit, `${side}/${commit.startLine}/${commit.path}`, text);
    const title = `${this.name} in ${shortId(commit)}: ${commit.subject}`;
    await vscode.commands.executeCommand("vscode.diff", put("before", before), put("after", after), title, { preview: true });
  }

  getParent(): undefined {
    return undefined;
  }

  getChildren(node?: HistoryNode): HistoryNode[] {
    if (node) {
      return [];
    }
    return this.commits.length === SHOWN && this.last?.limit === undefined ? [...this.commits, { rest: true }] : this.commits;
  }

  getTreeItem(node: HistoryNode): vscode.TreeItem {
    if ("rest" in node) {
      const rest = new vscode.TreeItem("Show All Commits");
      rest.iconPath = new vscode.ThemeIcon("ellipsis");
      rest.command = { command: "surveyor.historyView.showRest", title: "Show All Commits" };
      return rest;
    }
    const day = new Date(node.date).toLocaleDateString();
    const item = new vscode.TreeItem(node.subject || shortId(node));
    item.description = [node.author, day, sizeOf(node), originOf(node)].filter(Boolean).join(" · ");
    item.iconPath = new vscode.ThemeIcon(node.introduced ? "add" : "git-commit");
    item.tooltip = tooltipOf(node);
    item.contextValue = "commit";
    item.command = { command: "surveyor.openCommit", title: "Show What It Changed", arguments: [node] };
    item.accessibilityInformation = {
      label: `commit ${shortId(node)}, ${node.subject}, by ${node.author}, ${day}, ${node.added} lines added, ${node.removed} removed ${originOf(node)}`.trim(),
    };
    return item;
  }
}

function tooltipOf(commit: CodeCommit): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  text.appendText(`${commit.commit}\n${commit.author}, ${new Date(commit.date).toLocaleString()}\n`);
  text.appendText(`\n${[commit.subject, commit.body].filter(Boolean).join("\n\n")}\n`);
  text.appendText(`\n${commit.path}:${commit.startLine}–${commit.endLine}, ${sizeOf(commit)}`);
  return text;
}
