/** Owns the editors that show graphs: of an impact, of callers, of a map, of a session's path. */

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { ServerController } from "../client";
import { graphOf } from "../drawing";
import { subjectOfWindow } from "../folders";
import type { Graph, PageMessage } from "../graphPage/graph";
import { sayNoServer } from "../noServer";
import { openAt } from "../open";
import type { GraphAnswer, GraphParams, GraphSubject, ImpactParams, Range } from "../protocol";

/** Where a box is. */
interface Place {
  uri: string;
  range: Range;
}

/** One editor with the page in it, which is opened when there is something to show. */
export class GraphPanel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private graph: Graph | undefined;
  private places: readonly Place[] = [];

  constructor(
    private readonly type: string,
    private readonly extensionUri: vscode.Uri,
  ) {}

  get isOpen(): boolean {
    return this.panel !== undefined;
  }

  dispose(): void {
    this.panel?.dispose();
  }

  /** Shows a graph, in place of the one before; `places` are those of its boxes. */
  show(graph: Graph, places: readonly Place[]): void {
    this.graph = graph;
    this.places = places;
    if (this.panel) {
      this.panel.title = graph.title;
      this.panel.reveal(undefined, true);
      this.send();
      return;
    }
    const scripts = vscode.Uri.joinPath(this.extensionUri, "dist");
    const panel = vscode.window.createWebviewPanel(this.type, graph.title, vscode.ViewColumn.Active, {
      enableScripts: true,
      localResourceRoots: [scripts],
    });
    this.panel = panel;
    panel.onDidDispose(() => (this.panel = undefined));
    panel.webview.onDidReceiveMessage((message: PageMessage) => this.receive(message));
    const nonce = randomBytes(16).toString("hex");
    const script = panel.webview.asWebviewUri(vscode.Uri.joinPath(scripts, "graphPage.js"));
    panel.webview.html = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'nonce-${nonce}'">
</head><body><script nonce="${nonce}" src="${script.toString()}"></script></body></html>`;
  }

  private receive(message: PageMessage): void {
    if ("ready" in message) {
      this.send();
      return;
    }
    const place = this.places[message.node];
    if (place) {
      const line = message.line === undefined ? undefined : { line: message.line - 1, character: 0 };
      const range = line ? { start: line, end: line } : place.range;
      void openAt(place.uri, range, { preview: true, beside: true, keepFocus: true });
    }
  }

  private send(): void {
    void this.panel?.webview.postMessage({ graph: this.graph });
  }
}

/** Asks the server what is drawn. */
export class GraphView implements vscode.Disposable {
  private readonly panel: GraphPanel;

  constructor(
    private readonly controller: ServerController,
    extensionUri: vscode.Uri,
  ) {
    this.panel = new GraphPanel("surveyor.graph", extensionUri);
  }

  dispose(): void {
    this.panel.dispose();
  }

  /** Shows what is about the symbol at a place, or, for a map, about the project that it lies in. */
  async show(about: GraphSubject, at: ImpactParams | undefined): Promise<void> {
    if (about !== "map" && !at) {
      return;
    }
    const subject = about === "map" ? await subjectOfWindow("Which folder is drawn?") : undefined;
    if (subject === null) {
      return;
    }
    const params: GraphParams = about === "map" ? { about, ...(subject ? { uri: subject } : {}) } : { about, ...at };
    const answer = await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: "Surveyor: drawing" }, () =>
      this.controller.request<GraphAnswer>("surveyor/graph", params),
    );
    if (!answer) {
      void sayNoServer(this.controller);
    } else if (answer.boxes.length === 0) {
      void vscode.window.showInformationMessage("There is nothing to draw: no symbol that Surveyor knows is there.");
    } else {
      this.panel.show(graphOf(about, answer), answer.boxes);
    }
  }
}
