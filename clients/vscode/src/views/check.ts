/** Owns the view of a change's receipt: what it leaves behind by kind, and its tests with their results. */

import * as path from "node:path";
import * as vscode from "vscode";
import type { ServerController } from "../client";
import { subjectOfWindow } from "../folders";
import { counted } from "../format";
import { sayNoServer } from "../noServer";
import type { CheckAnswer, CheckedPlace, FailedPlace, Range, TestAnswer } from "../protocol";

interface GroupNode {
  type: "group";
  label: string;
  icon: string;
  children: (PlaceNode | TestNode | FailureNode)[];
}
interface PlaceNode {
  type: "place";
  place: CheckedPlace;
}
interface TestNode {
  type: "test";
  path: string;
  /** Undefined until it has been run. */
  failures?: FailureNode[];
}
interface FailureNode {
  type: "failure";
  failure: FailedPlace;
}
export type CheckNode = GroupNode | PlaceNode | TestNode | FailureNode;

const GROUPS: { label: string; icon: string; kinds: string[] }[] = [
  { label: "Calls and uses left behind", icon: "call-incoming", kinds: ["call", "removed", "override", "case"] },
  { label: "Diagnostics", icon: "error", kinds: ["diagnostic", "syntax"] },
  { label: "Already there", icon: "copy", kinds: ["duplicate"] },
];
const VIEW = "surveyor.checkView";
const START: Range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

export class CheckView implements vscode.TreeDataProvider<CheckNode>, vscode.Disposable {
  private readonly emitter = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.emitter.event;
  private groups: GroupNode[] = [];
  private answer: CheckAnswer | undefined;
  private tests: GroupNode | undefined;
  private asked: { uri?: string } = {};
  private readonly tree: vscode.TreeView<CheckNode>;

  constructor(private readonly controller: ServerController) {
    this.tree = vscode.window.createTreeView<CheckNode>(VIEW, { treeDataProvider: this, showCollapseAll: true });
  }

  dispose(): void {
    this.tree.dispose();
    this.emitter.dispose();
  }

  /** Looks at the working tree with its unsaved text, in the active editor's folder. */
  async check(): Promise<void> {
    const subject = await subjectOfWindow("Which folder is checked?");
    if (subject === null) {
      return;
    }
    this.asked = subject ? { uri: subject } : {};
    await vscode.commands.executeCommand(`${VIEW}.focus`);
    const answer = await vscode.window.withProgress({ location: { viewId: VIEW } }, () =>
      this.controller.request<CheckAnswer>("surveyor/check", this.asked),
    );
    if (!answer) {
      void sayNoServer(this.controller);
      return;
    }
    this.answer = answer;
    this.tests =
      answer.tests.length > 0
        ? { type: "group", label: "Tests to run", icon: "beaker", children: answer.tests.map((each) => ({ type: "test", path: each })) }
        : undefined;
    this.groups = [...groupsOf(answer.places), ...(this.tests ? [this.tests] : [])];
    this.tree.message = messageOf(answer);
    this.tree.description = (vscode.workspace.workspaceFolders?.length ?? 0) > 1 ? path.basename(answer.root) : "";
    await vscode.commands.executeCommand("setContext", "surveyor.hasCheck", true);
    await vscode.commands.executeCommand("setContext", "surveyor.hasTests", this.tests !== undefined);
    this.emitter.fire(undefined);
  }

  /** Runs the tests of the receipt, or the one of an entry, and puts their failures below them. */
  async runTests(node?: CheckNode): Promise<void> {
    const targets = node?.type === "test" ? [node.path] : (this.answer?.tests ?? []);
    if (targets.length === 0) {
      return;
    }
    const ran = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: "Running tests", cancellable: true },
      (progress, cancel) =>
        this.controller.requestWithProgress<TestAnswer>(
          "surveyor/test",
          { ...this.asked, targets },
          (message) => progress.report({ message }),
          cancel,
        ),
    );
    if (ran) {
      this.take(ran, targets);
    }
  }

  private take(ran: TestAnswer, targets: string[]): void {
    for (const test of this.tests?.children ?? []) {
      if (test.type === "test" && targets.includes(test.path)) {
        const skipped = ran.notRun.some((each) => each.startsWith(`${test.path}: `));
        test.failures = failuresOf(ran, test.path, targets.length === 1);
        if (skipped) {
          delete test.failures;
        }
      }
    }
    const kept = this.tests?.children.filter((each) => each.type !== "failure") ?? [];
    const shown = new Set(kept.flatMap((each) => (each.type === "test" ? (each.failures ?? []) : [])).map((each) => each.failure));
    const others = ran.failures.filter((each) => !shown.has(each));
    if (this.tests) {
      // What failed elsewhere: in code that tests call, or in a file that could not be built.
      this.tests.children = [...others.map((failure): FailureNode => ({ type: "failure", failure })), ...kept];
      this.tests.label = `Tests: ${ran.passed} passed, ${ran.failed} failed, ${ran.skipped} skipped`;
    }
    this.emitter.fire(undefined);
    if (ran.output) {
      this.controller.channels.client.warn(ran.output);
    }
    const notRun = ran.notRun.length > 0 ? ` ${ran.notRun.join("; ")}` : "";
    const said = `${ran.passed} passed, ${ran.failed} failed, ${ran.skipped} skipped.${notRun}${ran.output ? " See the log." : ""}`;
    void (ran.ok ? vscode.window.showInformationMessage(said) : vscode.window.showWarningMessage(said));
  }

  getParent(node: CheckNode): CheckNode | undefined {
    return this.groups.find((group) => group.children.some((each) => each === node));
  }

  getChildren(node?: CheckNode): CheckNode[] {
    if (!node) {
      return this.groups;
    }
    return node.type === "group" ? node.children : node.type === "test" ? (node.failures ?? []) : [];
  }

  getTreeItem(node: CheckNode): vscode.TreeItem {
    switch (node.type) {
      case "group":
        return groupItem(node);
      case "place":
        return placeItem(node.place);
      case "failure":
        return failureItem(node.failure);
      case "test":
        return this.testItem(node);
    }
  }

  private testItem(node: TestNode): vscode.TreeItem {
    const failed = (node.failures?.length ?? 0) > 0;
    const item = new vscode.TreeItem(
      path.posix.basename(node.path),
      failed ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.None,
    );
    const state = node.failures === undefined ? "" : failed ? "failed" : "passed";
    item.description = [path.posix.dirname(node.path), state].filter(Boolean).join("  ");
    item.iconPath = failed
      ? new vscode.ThemeIcon("error", new vscode.ThemeColor("testing.iconFailed"))
      : node.failures
        ? new vscode.ThemeIcon("pass", new vscode.ThemeColor("testing.iconPassed"))
        : new vscode.ThemeIcon("beaker");
    item.contextValue = "test";
    item.accessibilityInformation = { label: `test file ${node.path} ${state}` };
    const uri = vscode.Uri.joinPath(vscode.Uri.file(this.answer?.root ?? ""), node.path).toString();
    item.command = { command: "surveyor.openLocation", title: "Open", arguments: [uri, START] };
    return item;
  }
}

function groupItem(node: GroupNode): vscode.TreeItem {
  const item = new vscode.TreeItem(node.label, vscode.TreeItemCollapsibleState.Expanded);
  item.description = String(node.children.filter((each) => each.type !== "failure").length);
  item.iconPath = new vscode.ThemeIcon(node.icon);
  item.contextValue = node.icon === "beaker" ? "tests" : "group";
  return item;
}

function placeItem(place: CheckedPlace): vscode.TreeItem {
  const line = place.range.start.line + 1;
  const item = new vscode.TreeItem(place.message);
  item.description = `${place.path}:${line}${place.certainty === "certain" ? "" : "  likely"}`;
  item.tooltip = [place.message, place.symbol && `in ${place.symbol}`, place.about && `changed at ${place.about}`]
    .filter(Boolean)
    .join("\n");
  item.iconPath = new vscode.ThemeIcon(place.certainty === "certain" ? "error" : "warning");
  item.accessibilityInformation = { label: `${place.message}, ${place.certainty}, ${place.path} line ${line}` };
  item.command = { command: "surveyor.openLocation", title: "Open", arguments: [place.uri, place.range] };
  return item;
}

function failureItem(failure: FailedPlace): vscode.TreeItem {
  const line = failure.range.start.line + 1;
  const item = new vscode.TreeItem(failure.message);
  item.description = failure.path ? `${failure.path}:${line}` : failure.test;
  item.tooltip = [failure.test, failure.message, failure.symbol && `in ${failure.symbol}`].filter(Boolean).join("\n");
  item.iconPath = new vscode.ThemeIcon("testing-failed-icon", new vscode.ThemeColor("testing.iconFailed"));
  item.accessibilityInformation = { label: `failed test ${failure.test}: ${failure.message}` };
  if (failure.uri) {
    item.command = { command: "surveyor.openLocation", title: "Open", arguments: [failure.uri, failure.range] };
  }
  return item;
}

function groupsOf(places: CheckedPlace[]): GroupNode[] {
  const known = new Set(GROUPS.flatMap((group) => group.kinds));
  const all = [...GROUPS, { label: "Other", icon: "info", kinds: places.map((each) => each.kind).filter((kind) => !known.has(kind)) }];
  return all
    .map(({ label, icon, kinds }): GroupNode => {
      const mine = places.filter((place) => kinds.includes(place.kind));
      return { type: "group", label, icon, children: mine.map((place) => ({ type: "place", place })) };
    })
    .filter((group) => group.children.length > 0);
}

/** A runner names the file that failed or the test by its file's name; with one file all are its. */
function failuresOf(ran: TestAnswer, file: string, alone: boolean): FailureNode[] {
  const stem = path.posix.basename(file).replace(/\.[^.]+$/, "");
  return ran.failures
    .filter((each) => alone || each.path === file || each.test.split(/[.:/]+/).includes(stem))
    .map((failure) => ({ type: "failure", failure }));
}

function messageOf(answer: CheckAnswer): string {
  const found = answer.places.length === 0 ? "The change leaves nothing behind." : counted(answer.places.length, "place") + " to look at.";
  const lacks = [answer.complete ? "" : (answer.notice ?? "incomplete"), ...(answer.unasked ?? [])].filter(Boolean);
  return lacks.length > 0 ? `${found} Not looked at: ${lacks.join("; ")}.` : found;
}
