/** Owns the Agents view, which follows what agents ask, read and change, and the picture of a session. */

import * as vscode from "vscode";
import { graphOfPath, pathOf } from "../agentPath";
import type { ServerController } from "../client";
import { counted } from "../format";
import type { ActivityAnswer, AgentCall, AgentPlace, AgentSession } from "../protocol";
import { GraphPanel } from "./graph";

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
  private readonly picture: GraphPanel;
  /** The session whose path is drawn. */
  private drawn = "";

  constructor(
    private readonly controller: ServerController,
    extensionUri: vscode.Uri,
  ) {
    this.picture = new GraphPanel("surveyor.agentPath", extensionUri);
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
    vscode.Disposable.from(...this.heard, this.tree, this.emitter, this.picture).dispose();
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
    if (this.picture.isOpen && this.drawn === call.session) {
      this.draw(node);
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
    this.drawn = node.session.session;
    this.draw(node);
  }

  private draw(node: SessionNode): void {
    const path = pathOf(node.calls);
    const graph = graphOfPath(path, `Path of ${node.session.client}`, counted(node.session.calls, "call"));
    this.picture.show(
      graph,
      path.steps.map(({ place }) => place),
    );
  }
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
