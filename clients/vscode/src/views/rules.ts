/** Owns the Rules view: showing, changing and deleting rules, and the question box of "Remember This". */

import * as vscode from "vscode";
import type { ServerController } from "../client";
import { sayNoServer, waysOn } from "../noServer";
import { openAt } from "../open";
import type { RememberAnswer, RememberParams, Rule } from "../protocol";
import { VirtualDocuments } from "../virtualDocuments";

/** How often and how long a rule that is queued is looked for. */
const LOOK_AGAIN_MS = 1000;
const MOST_LOOKS = 60;

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

  /** The rule that is meant: a link in a hover names it by label and scope alone. */
  async whole(named: Pick<Rule, "label" | "scope"> & Partial<Rule>): Promise<Rule | undefined> {
    const isSame = (rule: Rule): boolean => rule.label === named.label && rule.scope === named.scope;
    const found = named.content === undefined ? (await this.getChildren()).find(isSame) : (named as Rule);
    if (!found) {
      void vscode.window.showInformationMessage(`There is no rule ${named.label} any more.`);
    }
    return found;
  }

  /** Shows the rules once they are as they are to be: what is written may be queued. */
  async refreshUntil(isDone: (rules: Rule[]) => boolean): Promise<void> {
    this.refresh();
    for (let looks = 0; looks < MOST_LOOKS && !isDone(await this.getChildren()); looks++) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
    this.refresh();
  }

  async getChildren(node?: Rule): Promise<Rule[]> {
    if (node) {
      return [];
    }
    const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.toString());
    const asked = folders.length > 0 ? folders.map((folder) => this.rulesOf(folder)) : [this.rulesOf(undefined)];
    // Folders share the rules that apply everywhere, and those of one project in two worktrees.
    const known = (await Promise.all(asked)).flat().map((rule): [string, Rule] => [`${rule.scope} ${rule.label}\n${rule.content}`, rule]);
    return [...new Map(known.reverse()).values()].reverse();
  }

  private async rulesOf(folder: string | undefined): Promise<Rule[]> {
    try {
      const answer = await this.controller.request<{ rules: Rule[] }>("surveyor/rules", folder ? { uri: folder } : {});
      return (answer?.rules ?? []).map((rule) => (folder ? { ...rule, folder } : rule));
    } catch {
      return []; // the engine is down; the status item says so
    }
  }

  getTreeItem(rule: Rule): vscode.TreeItem {
    const item = new vscode.TreeItem(rule.title || rule.label);
    item.description = [rule.scope, rule.anchor, rule.needsReview ? "needs review" : ""].filter(Boolean).join(" · ");
    item.iconPath = rule.needsReview
      ? new vscode.ThemeIcon("warning", new vscode.ThemeColor("list.warningForeground"))
      : new vscode.ThemeIcon("law");
    item.tooltip = new vscode.MarkdownString().appendText(rule.content);
    item.contextValue = rule.uri ? "rule.anchored" : "rule";
    item.command = { command: "surveyor.showRule", title: "Show", arguments: [rule] };
    item.accessibilityInformation = {
      label: `rule ${rule.title || rule.label}, ${rule.scope}${rule.needsReview ? ", needs review" : ""}: ${rule.content}`,
    };
    return item;
  }
}

/** Goes to the code that a rule is about. */
export async function goToRule(rule: Rule): Promise<void> {
  if (rule.uri && rule.range) {
    await openAt(rule.uri, rule.range, { preview: true });
  }
}

/** Shows rules as documents. */
export class RuleDocuments implements vscode.Disposable {
  private readonly documents = new VirtualDocuments("surveyor-rule");

  dispose(): void {
    this.documents.dispose();
  }

  async show(rule: Rule): Promise<void> {
    const about = [rule.scope === "global" ? "everywhere" : "this project", rule.anchor, rule.needsReview ? "the code has changed since: review" : ""];
    const text = `# ${rule.title || rule.label}\n\n${rule.content}\n\n---\n${about.filter(Boolean).join(" · ")}\n`;
    const uri = this.documents.put(rule.scope, `${rule.label}.md`, text);
    const document = await vscode.languages.setTextDocumentLanguage(await vscode.workspace.openTextDocument(uri), "markdown");
    await vscode.window.showTextDocument(document, { preview: true });
  }
}

/** Asks for a rule's text anew, beginning with the one that it has. True when it was changed. */
export async function editRule(controller: ServerController, rule: Rule): Promise<boolean> {
  const content = await vscode.window.showInputBox({
    title: `Edit Rule ${rule.label}`,
    prompt: "What is to be remembered",
    value: rule.content,
    ignoreFocusOut: true, // the code may be looked at meanwhile
    validateInput: (value) => (value.trim() === "" ? "A rule says something; delete it instead" : undefined),
  });
  return content !== undefined && content !== rule.content && change(controller, rule, "update", content);
}

/** Removes a rule after a question. True when it was removed. */
export async function deleteRule(controller: ServerController, rule: Rule): Promise<boolean> {
  const yes = "Delete";
  const where = rule.scope === "global" ? "It applies everywhere." : "It applies to every clone and worktree of this project.";
  const answer = await vscode.window.showWarningMessage(`Delete the rule ${rule.label}?`, { modal: true, detail: `${rule.content}\n\n${where}` }, yes);
  return answer === yes && change(controller, rule, "remove");
}

async function change(controller: ServerController, rule: Rule, action: "update" | "remove", content?: string): Promise<boolean> {
  const { label, scope } = rule;
  const uri = rule.folder ?? vscode.workspace.workspaceFolders?.[0]?.uri.toString();
  const answer = await controller.request<RememberAnswer>("surveyor/remember", {
    action,
    label,
    scope,
    ...(content === undefined ? {} : { content }),
    ...(uri ? { uri } : {}),
  });
  if (!answer) {
    void sayNoServer(controller, "Nothing was changed.");
    return false;
  }
  const done = action === "remove" ? "deleted" : "changed";
  vscode.window.setStatusBarMessage(`Surveyor: ${label} ${answer.status === "done" ? `is ${done}` : `will be ${done}`}`, 4000);
  return true;
}

function labelFrom(content: string): string {
  const words = content.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.slice(0, 5).join("-") || "rule";
}

/** Asks for a rule's text, scope and label, and stores it anchored to the cursor's symbol. */
export async function remember(controller: ServerController, given: Partial<RememberParams> = {}): Promise<RememberAnswer | undefined> {
  if (waysOn(controller).length > 0) {
    await sayNoServer(controller); // before anything is written that would be lost
    return undefined;
  }
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
    const said = answer.status === "done" ? "Remembered" : "Will be remembered once the index is ready,";
    const show = "Show Rules";
    void vscode.window.showInformationMessage(`${said} as ${answer.label}.`, show).then((chosen) => {
      if (chosen === show) {
        void vscode.commands.executeCommand("surveyor.rulesView.focus");
      }
    });
  } else {
    void sayNoServer(controller, "Nothing was stored.");
  }
  return answer;
}
