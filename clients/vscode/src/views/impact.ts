/** Owns the Impact view: what depends on a symbol, by distance, and what it depends on. */

import * as vscode from "vscode";
import type { ServerController } from "../client";
import { counted, iconOf, impactMessage } from "../format";
import { sayNoServer } from "../noServer";
import type { ImpactAnswer, ImpactItem, ImpactParams } from "../protocol";

interface GroupNode {
  type: "group";
  label: string;
  description: string;
  items: ImpactItem[];
  icon: string;
}
interface ItemNode {
  type: "item";
  item: ImpactItem;
}
interface RestNode {
  type: "rest";
  omitted: number;
}
type Node = GroupNode | ItemNode | RestNode;

/** Enough for every dependant that there is. */
const EVERY = 100_000;

export class ImpactView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly emitter = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.emitter.event;
  private groups: GroupNode[] = [];
  private omitted = 0;
  private last: ImpactParams | undefined;
  private readonly tree: vscode.TreeView<Node>;

  constructor(private readonly controller: ServerController) {
    this.tree = vscode.window.createTreeView<Node>("surveyor.impactView", { treeDataProvider: this, showCollapseAll: true });
  }

  /** Where the symbol is whose impact is shown. */
  get shown(): ImpactParams | undefined {
    return this.last;
  }

  dispose(): void {
    this.tree.dispose();
    this.emitter.dispose();
  }

  /** Asks for the impact of the symbol at a position and shows it. */
  async show(params: ImpactParams): Promise<void> {
    this.last = params;
    // Now, not when the answer comes: the user may be elsewhere then.
    await vscode.commands.executeCommand("surveyor.impactView.focus");
    const answer = await vscode.window.withProgress(
      { location: { viewId: "surveyor.impactView" } },
      () => this.controller.request<ImpactAnswer>("surveyor/impact", params),
    );
    if (!answer) {
      void sayNoServer(this.controller);
      return;
    }
    const name = typeof answer.symbol === "string" ? answer.symbol : answer.symbol?.name;
    if (!name) {
      void vscode.window.showInformationMessage("There is no symbol under the cursor that Surveyor knows.");
      return;
    }
    this.groups = groupsOf(answer);
    this.omitted = answer.omitted ?? 0;
    this.tree.description = name; // a title would be written with capitals
    this.tree.message = impactMessage(name, answer);
    await vscode.commands.executeCommand("setContext", "surveyor.hasImpact", true);
    this.emitter.fire(undefined);
  }

  async refresh(): Promise<void> {
    if (this.last) {
      await this.show(this.last);
    }
  }

  /** Shows what the limit has left out. */
  async showRest(): Promise<void> {
    if (this.last) {
      await this.show({ ...this.last, limit: EVERY });
    }
  }

  getParent(node: Node): Node | undefined {
    return node.type === "item" ? this.groups.find((group) => group.items.includes(node.item)) : undefined;
  }

  getChildren(node?: Node): Node[] {
    if (!node) {
      return this.omitted > 0 ? [...this.groups, { type: "rest", omitted: this.omitted }] : this.groups;
    }
    return node.type === "group" ? node.items.map((item) => ({ type: "item", item })) : [];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if (node.type === "group") {
      const group = new vscode.TreeItem(node.label, vscode.TreeItemCollapsibleState.Expanded);
      group.description = node.description;
      group.iconPath = new vscode.ThemeIcon(node.icon);
      return group;
    }
    if (node.type === "rest") {
      const rest = new vscode.TreeItem(`Show ${counted(node.omitted, "more place")}`);
      rest.iconPath = new vscode.ThemeIcon("ellipsis");
      rest.command = { command: "surveyor.impactView.showRest", title: "Show the Rest" };
      return rest;
    }
    const { item } = node;
    const uri = vscode.Uri.parse(item.uri);
    const line = item.range.start.line + 1;
    const leaf = new vscode.TreeItem(item.name || vscode.workspace.asRelativePath(uri));
    leaf.description = `${vscode.workspace.asRelativePath(uri)}:${line}${item.isTest ? "  test" : ""}`;
    leaf.iconPath = item.isTest
      ? new vscode.ThemeIcon("beaker", new vscode.ThemeColor("testing.iconPassed"))
      : new vscode.ThemeIcon(iconOf(item));
    leaf.tooltip = item.via?.length ? `${item.name} via ${item.via.join(" → ")}` : `${item.name}, ${item.kind}`;
    leaf.accessibilityInformation = {
      label: `${item.isTest ? "test " : ""}${item.name}, ${item.kind}, ${vscode.workspace.asRelativePath(uri)} line ${line}`,
    };
    leaf.command = { command: "surveyor.openLocation", title: "Open", arguments: [item.uri, item.range] };
    return leaf;
  }
}

function groupsOf(answer: ImpactAnswer): GroupNode[] {
  const groups: GroupNode[] = [];
  for (const depth of [...new Set(answer.inbound.map((item) => item.depth))].sort((a, b) => a - b)) {
    const items = answer.inbound.filter((item) => item.depth === depth);
    const tests = items.filter((item) => item.isTest).length;
    groups.push({
      type: "group",
      label: depth <= 1 ? "Uses it directly" : `Uses it over ${depth - 1} other${depth > 2 ? "s" : ""}`,
      description: `${items.length}${tests ? `, ${counted(tests, "test")}` : ""}`,
      items,
      icon: "call-incoming",
    });
  }
  if (answer.outbound.length > 0) {
    groups.push({
      type: "group",
      label: "It uses",
      description: String(answer.outbound.length),
      items: answer.outbound,
      icon: "call-outgoing",
    });
  }
  return groups;
}
