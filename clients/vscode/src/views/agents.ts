/** Owns the Agents view, which follows what agents ask, read and change, and the picture of a session. */

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { escaped, pathOf, svgOf, type AgentPath } from "../agentPath";
import type { ServerController } from "../client";
import { counted } from "../format";
import { openAt } from "../open";
import type { ActivityAnswer, AgentCall, AgentPlace, AgentSession } from "../protocol";

/** Of each session; the server keeps more. */
const MOST_CALLS = 500;

interface SessionNode {
  type: "session";
  session: AgentSession;
  calls: AgentCall[];
}
interface CallNode {
  type: "call";
  call: AgentCall;
}
interface PlaceNode {
  type: "place";
  place: AgentPlace;
}
export type AgentNode = SessionNode | CallNode | PlaceNode;

export class AgentsView implements vscode.TreeDataProvider<AgentNode>, vscode.Disposable {
  private readonly emitter = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.emitter.event;
  private readonly tree: vscode.TreeView<AgentNode>;
  private readonly heard: vscode.Disposable[];
  private sessions: SessionNode[] = [];
  private picture: { panel: vscode.WebviewPanel; session: string } | undefined;

  constructor(private readonly controller: ServerController) {
    this.tree = vscode.window.createTreeView<AgentNode>("surveyor.agentsView", {
      treeDataProvider: this,
      showCollapseAll: true,
    });
    this.heard = [
      controller.onAgentCall((call) => this.receive(call)),
      controller.onDidChangeState(() => controller.state === "running" && void this.refresh()),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.heard, this.tree, this.emitter).dispose();
    this.picture?.panel.dispose();
  }

  /** Asks for everything anew. */
  async refresh(): Promise<void> {
    const answer = await this.controller.request<ActivityAnswer>("surveyor/activity", {});
    if (!answer) {
      return;
    }
    this.sessions = answer.sessions.map((session) => ({
      type: "session",
      session,
      calls: answer.calls.filter((call) => call.session === session.session),
    }));
    this.tree.message = answer.kept ? "" : "Nothing is logged: storage.agent_log is false.";
    this.emitter.fire(undefined);
  }

  /** An agent has called a tool. */
  private receive(call: AgentCall): void {
    let node = this.sessions.find(({ session }) => session.session === call.session);
    if (!node) {
      const { session, client, at } = call;
      const made: AgentSession = { session, client, root: "", first: at, last: at, calls: 0, edits: 0, open: true };
      node = { type: "session", session: made, calls: [] };
    }
    node.session.last = call.at;
    node.session.calls++;
    node.session.edits += call.tool === "edit" && !call.failed ? 1 : 0;
    node.calls = [...node.calls, call].slice(-MOST_CALLS);
    this.sessions = [node, ...this.sessions.filter((each) => each !== node)];
    this.emitter.fire(undefined);
    if (this.picture?.session === call.session) {
      this.draw(this.picture.panel, node);
    }
  }

  getChildren(node?: AgentNode): AgentNode[] {
    if (!node) {
      return this.sessions;
    }
    if (node.type === "session") {
      return node.calls.map((call): CallNode => ({ type: "call", call })).reverse();
    }
    return node.type === "call" ? node.call.places.map((place): PlaceNode => ({ type: "place", place })) : [];
  }

  getTreeItem(node: AgentNode): vscode.TreeItem {
    switch (node.type) {
      case "session":
        return sessionItem(node, node === this.sessions[0]);
      case "call":
        return callItem(node.call);
      case "place":
        return placeItem(node.place);
    }
  }

  /** Shows the path of a session through the code: of the given one, else of the latest. */
  showPath(given?: AgentNode): void {
    const node = given?.type === "session" ? given : this.sessions[0];
    if (!node) {
      void vscode.window.showInformationMessage("No agent has asked anything in these folders yet.");
      return;
    }
    this.picture?.panel.dispose();
    const panel = vscode.window.createWebviewPanel("surveyor.agentPath", `Path of ${node.session.client}`, vscode.ViewColumn.Active, {
      enableScripts: true,
      localResourceRoots: [],
    });
    const picture = { panel, session: node.session.session };
    this.picture = picture;
    panel.onDidDispose(() => {
      if (this.picture === picture) {
        this.picture = undefined;
      }
    });
    this.draw(panel, node);
  }

  private draw(panel: vscode.WebviewPanel, node: SessionNode): void {
    const path = pathOf(node.calls);
    panel.webview.html = page(path, `${node.session.client}: ${counted(node.session.calls, "call")}`);
    this.opening?.dispose();
    this.opening = panel.webview.onDidReceiveMessage((message: { step?: unknown }) => {
      const step = typeof message.step === "number" ? path.steps[message.step] : undefined;
      if (step) {
        void openAt(step.place.uri, step.place.range, { preview: true, beside: true });
      }
    });
  }
  private opening: vscode.Disposable | undefined;
}

function sessionItem({ session, calls }: SessionNode, isFirst: boolean): vscode.TreeItem {
  const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(session.client, isFirst ? Expanded : Collapsed);
  item.id = session.session;
  item.description = `${counted(session.calls, "call")}, ${counted(session.edits, "edit")}, ${clock(session.last)}`;
  item.iconPath = new vscode.ThemeIcon(session.open ? "hubot" : "circle-outline");
  item.contextValue = "session";
  item.tooltip = `${session.session}, since ${new Date(session.first * 1000).toLocaleString()}${calls.length < session.calls ? `; the last ${calls.length} calls are shown` : ""}`;
  return item;
}

function callItem(call: AgentCall): vscode.TreeItem {
  const { None, Collapsed } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(call.tool, call.places.length > 1 ? Collapsed : None);
  item.id = `${call.session}/${call.id}`;
  item.description = call.asked;
  item.tooltip = `${clock(call.at)}  ${call.tool} ${call.asked}\n${call.outcome}`;
  const edited = call.places.some((place) => place.kind === "edited");
  item.iconPath = call.failed
    ? new vscode.ThemeIcon("error", new vscode.ThemeColor("errorForeground"))
    : new vscode.ThemeIcon(edited ? "edit" : "eye");
  const place = call.places.length === 1 ? call.places[0] : undefined;
  if (place) {
    item.command = opens(place);
  }
  return item;
}

function placeItem(place: AgentPlace): vscode.TreeItem {
  const line = place.range.start.line + 1;
  const item = new vscode.TreeItem(`${place.path}:${line}`);
  item.description = place.kind;
  item.iconPath = new vscode.ThemeIcon(place.kind === "edited" ? "edit" : "eye");
  item.command = opens(place);
  return item;
}

function opens(place: AgentPlace): vscode.Command {
  return { command: "surveyor.openLocation", title: "Open", arguments: [place.uri, place.range] };
}

function clock(seconds: number): string {
  return new Date(seconds * 1000).toLocaleTimeString();
}

/** A page without anything from elsewhere; its colours are the theme's, light or dark. */
function page(path: AgentPath, heading: string): string {
  const nonce = randomBytes(16).toString("hex");
  const body = path.steps.length > 0 ? svgOf(path) : "<p>It has read and changed no file yet.</p>";
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'">
<style nonce="${nonce}">
svg { width: 100%; height: auto; font-family: var(--vscode-font-family); }
rect { fill: var(--vscode-editorWidget-background); stroke: var(--vscode-editorWidget-border, var(--vscode-contrastBorder)); }
.edited rect { stroke: var(--vscode-charts-orange); stroke-width: 2; }
.step { cursor: pointer; outline: none; }
.step:hover rect, .step:focus rect { stroke: var(--vscode-focusBorder); stroke-width: 2; }
.name { fill: var(--vscode-foreground); font-size: 13px; }
.said { fill: var(--vscode-descriptionForeground); font-size: 11px; }
.way { fill: none; stroke: var(--vscode-charts-lines, var(--vscode-descriptionForeground)); stroke-width: 1.3; }
.end { fill: var(--vscode-charts-lines, var(--vscode-descriptionForeground)); }
</style></head><body><h3>${escaped(heading)}</h3>${body}
<script nonce="${nonce}">
const host = acquireVsCodeApi();
for (const step of document.querySelectorAll("[data-step]")) {
  const open = () => host.postMessage({ step: Number(step.dataset.step) });
  step.addEventListener("click", open);
  step.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") open(); });
}
</script></body></html>`;
}
