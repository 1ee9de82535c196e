/** Owns the Rules view and the question box of "Remember This". */

import * as vscode from "vscode";
import type { ServerController } from "../client";
import type { RememberAnswer, RememberParams, Rule } from "../protocol";

/** How often and how long a rule that is queued is looked for. */
const LOOK_AGAIN_MS = 1000;
const MOST_LOOKS = 60;

interface Anchor {
  uri: vscode.Uri | undefined;
  line: number;
  text: string;
}

export class RulesView implements vscode.TreeDataProvider<Rule>, vscode.Disposable {
  private readonly emitter = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.emitter.event;
  private readonly tree: vscode.TreeView<Rule>;

  constructor(private readonly controller: ServerController) {
    this.tree = vscode.window.createTreeView<Rule>("surveyor.rulesView", { treeDataProvider: this });
  }

  dispose(): void {
    this.tree.dispose();
    this.emitter.dispose();
  }

  refresh(): void {
    this.emitter.fire(undefined);
  }

  /** Shows the rules once one of this label is among them: what is remembered may be queued. */
  async refreshUntil(label: string): Promise<void> {
    const isThere = async (): Promise<boolean> => (await this.getChildren()).some((rule) => rule.label === label);
    for (let looks = 0; looks < MOST_LOOKS && !(await isThere()); looks++) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
    this.refresh();
  }

  async getChildren(node?: Rule): Promise<Rule[]> {
    if (node) {
      return [];
    }
    const uri = vscode.workspace.workspaceFolders?.[0]?.uri.toString();
    try {
      const answer = await this.controller.request<{ rules: Rule[] }>("surveyor/rules", uri ? { uri } : {});
      return answer?.rules ?? [];
    } catch {
      return []; // the engine is down; the status item says so
    }
  }

  getTreeItem(rule: Rule): vscode.TreeItem {
    const item = new vscode.TreeItem(rule.title || rule.label);
    const anchor = anchorOf(rule);
    item.description = [rule.scope, anchor?.text, rule.needsReview ? "needs review" : ""].filter(Boolean).join(" · ");
    item.iconPath = rule.needsReview
      ? new vscode.ThemeIcon("warning", new vscode.ThemeColor("list.warningForeground"))
      : new vscode.ThemeIcon("law");
    item.tooltip = new vscode.MarkdownString().appendText(rule.content);
    item.contextValue = anchor?.uri ? "rule.anchored" : "rule";
    item.command = { command: "surveyor.showRule", title: "Show", arguments: [rule] };
    item.accessibilityInformation = {
      label: `rule ${rule.title || rule.label}, ${rule.scope}${rule.needsReview ? ", needs review" : ""}: ${rule.content}`,
    };
    return item;
  }
}

function anchorOf(rule: Rule): Anchor | undefined {
  const { anchor } = rule;
  if (!anchor) {
    return undefined;
  }
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  if (typeof anchor === "string") {
    // `path:line`, or the name of a symbol, which is no place that could be opened.
    const place = /^(.+?):(\d+)$/.exec(anchor);
    const path = place?.[1] ?? "";
    const uri = !place ? undefined : path.startsWith("/") ? vscode.Uri.file(path) : folder && vscode.Uri.joinPath(folder, path);
    return { uri, line: Math.max(0, Number(place?.[2] ?? 1) - 1), text: anchor.split("/").pop() ?? anchor };
  }
  const uri = anchor.uri ? vscode.Uri.parse(anchor.uri) : anchor.path && folder ? vscode.Uri.joinPath(folder, anchor.path) : undefined;
  return { uri, line: anchor.range?.start.line ?? anchor.line ?? 0, text: anchor.symbol || anchor.path || "" };
}

/** Opens the place a rule is anchored to, or its text where it has none. */
export async function showRule(rule: Rule): Promise<void> {
  const anchor = anchorOf(rule);
  if (anchor?.uri) {
    const at = new vscode.Position(anchor.line, 0);
    await vscode.window.showTextDocument(anchor.uri, { selection: new vscode.Range(at, at), preview: true });
    return;
  }
  const content = `# ${rule.title || rule.label}\n\n${rule.content}\n`;
  const document = await vscode.workspace.openTextDocument({ content, language: "markdown" });
  await vscode.window.showTextDocument(document, { preview: true });
}

function labelFrom(content: string): string {
  const words = content.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.slice(0, 5).join("-") || "rule";
}

/** Asks for a rule's text, scope and label, and stores it anchored to the cursor's symbol. */
export async function remember(controller: ServerController, given: Partial<RememberParams> = {}): Promise<RememberAnswer | undefined> {
  const editor = vscode.window.activeTextEditor;
  const params: Partial<RememberParams> = { ...given };
  if (!params.textDocument && editor?.document.uri.scheme === "file") {
    params.textDocument = { uri: editor.document.uri.toString() };
    params.position = { line: editor.selection.active.line, character: editor.selection.active.character };
  }
  const content =
    params.content ??
    (await vscode.window.showInputBox({
      title: "Remember This",
      prompt: editor ? "A rule about the symbol under the cursor, for you and your agents" : "A rule for you and your agents",
      placeHolder: "Amounts are in cents here, never in floats",
      ignoreFocusOut: true, // the code may be looked at meanwhile
    }));
  if (!content?.trim()) {
    return undefined;
  }
  const scope =
    params.scope ??
    (
      await vscode.window.showQuickPick(
        [
          { label: "This project", description: "every clone and worktree of it", scope: "project" as const },
          { label: "Everywhere", description: "all projects; not anchored", scope: "global" as const },
        ],
        { title: "Remember This", placeHolder: "Where does it apply?", ignoreFocusOut: true },
      )
    )?.scope;
  if (!scope) {
    return undefined;
  }
  const label =
    params.label ??
    (await vscode.window.showInputBox({
      title: "Remember This",
      prompt: "A short label",
      value: labelFrom(content),
      ignoreFocusOut: true,
    }));
  if (!label?.trim()) {
    return undefined;
  }
  if (scope === "global") {
    delete params.textDocument;
    delete params.position;
  }
  const answer = await controller.request<RememberAnswer>("surveyor/remember", { ...params, content, scope, label });
  if (answer) {
    const said = answer.status === "done" ? "Remembered" : "Will be remembered";
    vscode.window.setStatusBarMessage(`Surveyor: ${said} as ${answer.label}`, 4000);
  } else {
    void vscode.window.showWarningMessage("Surveyor's server is not running; nothing was stored.");
  }
  return answer;
}
