/** Owns the wiring: what is made when the extension starts, its commands, and what they call. */

import * as vscode from "vscode";
import { ServerController, type Channels } from "./client";
import { installLanguageServer, LanguageServers } from "./languageServers";
import { McpProvider } from "./mcp";
import { sayFailed } from "./noServer";
import { openAt, openHit } from "./open";
import type { CodeCommit, ExplainAnswer, ImpactParams, Position, ProjectState, Range, RememberParams, Rule, SimilarParams } from "./protocol";
import { searchQuickPick, similarQuickPick, type SearchUi } from "./quickPick";
import { supportReport } from "./report";
import { Searcher } from "./searcher";
import { onInterpreterChange } from "./server";
import { setServerPath } from "./serverPath";
import { RESTARTING, SECTION } from "./settings";
import { control, showSkipped, showStatusMenu, StatusItems } from "./status";
import { AgentsView, type AgentNode } from "./views/agents";
import { CheckView, type CheckNode } from "./views/check";
import { GraphView } from "./views/graph";
import { HistoryView } from "./views/history";
import { ImpactView } from "./views/impact";
import { RelatedTests } from "./views/relatedTests";
import { deleteRule, editRule, goToRule, remember, RuleDocuments, RulesView } from "./views/rules";
import { SearchView, targetOf, type HitNode, type Node } from "./views/search";
import { openWalkthrough, tickWhenFound } from "./walkthrough";

/** What tests and other extensions may use. */
export interface Api {
  controller: ServerController;
}

let controller: ServerController | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<Api> {
  const channels: Channels = {
    client: vscode.window.createOutputChannel("Surveyor", { log: true }),
    server: vscode.window.createOutputChannel("Surveyor Server", { log: true }),
    trace: vscode.window.createOutputChannel("Surveyor Trace", { log: true }),
  };
  const owned = (controller = new ServerController(channels, context.extension));
  const searcher = new Searcher(owned, context.workspaceState);
  const views = {
    search: new SearchView(searcher),
    impact: new ImpactView(owned),
    history: new HistoryView(owned),
    tests: new RelatedTests(owned),
    check: new CheckView(owned),
    rules: new RulesView(owned),
    ruleDocuments: new RuleDocuments(),
    agents: new AgentsView(owned, context.extensionUri),
    graph: new GraphView(owned, context.extensionUri),
  };
  const servers = new LanguageServers(owned);
  const ui: SearchUi = { controller: owned, searcher, showInView: (query) => void views.search.show(query) };
  context.subscriptions.push(
    ...Object.values(channels),
    ...Object.values(views),
    servers,
    new StatusItems(owned),
    new McpProvider(owned),
    tickWhenFound(owned),
    ...registerSearch(ui, views.search),
    ...registerCode(ui, views),
    ...registerServer(owned, channels, servers, views.rules, String(context.extension.packageJSON["version"])),
    ...(await follow(owned, views.rules)),
  );
  // Not awaited: the editor must not wait for a process to start.
  void owned.restart("the editor started");
  return { controller: owned };
}

export async function deactivate(): Promise<void> {
  await controller?.dispose();
}

function activePosition(): ImpactParams | undefined {
  const editor = vscode.window.activeTextEditor;
  return (
    editor && {
      textDocument: { uri: editor.document.uri.toString() },
      position: { line: editor.selection.active.line, character: editor.selection.active.character },
    }
  );
}

function activeRange(): SimilarParams | undefined {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    return undefined;
  }
  const { start, end } = editor.selection;
  return {
    textDocument: { uri: editor.document.uri.toString() },
    range: { start: { line: start.line, character: start.character }, end: { line: end.line, character: end.character } },
  };
}

/** The selection, when it is a part of one line: what someone would type. */
function selectedText(): string {
  const editor = vscode.window.activeTextEditor;
  return editor && editor.selection.isSingleLine ? editor.document.getText(editor.selection).trim() : "";
}

/**
 * A command whose failure is told beside what the user does: VS Code shows that of a command from
 * the palette in a dialog that has to be closed first.
 */
function command(name: string, run: (...args: never[]) => unknown): vscode.Disposable {
  return vscode.commands.registerCommand(`${SECTION}.${name}`, async (...args: never[]) => {
    try {
      return await run(...args);
    } catch (error) {
      sayFailed(error);
      return undefined;
    }
  });
}

function registerSearch(ui: SearchUi, view: SearchView): vscode.Disposable[] {
  return [
    command("search", (given?: { query?: string } | string) => {
      const query = typeof given === "string" ? given : given?.query;
      searchQuickPick(ui, query ?? selectedText());
    }),
    command("searchInView", async (given?: { query?: string } | string) => {
      const query =
        (typeof given === "string" ? given : given?.query) ??
        (await vscode.window.showInputBox({
          title: "Search by Meaning",
          value: selectedText(),
          placeHolder: "What does the code do?",
          ignoreFocusOut: true, // what was typed is not lost when something else takes the focus
        }));
      if (query?.trim()) {
        await ui.searcher.remember(query);
        await view.show(query);
      }
    }),
    command("searchView.refresh", (node?: Node) => view.refresh(node)),
    command("searchView.showMore", (node: Extract<Node, { type: "more" }>) => view.showMore(node)),
    command("searchView.pin", (node?: Node) => view.pin(node, true)),
    command("searchView.unpin", (node?: Node) => view.pin(node, false)),
    command("searchView.clear", () => view.clear()),
    command("searchView.copyMarkdown", (node?: Node, all?: Node[]) => view.copy(node, all, "markdown")),
    command("searchView.copyContext", (node?: Node, all?: Node[]) => view.copy(node, all, "context")),
    command("openResult", async (node: Node) => {
      const target = targetOf(node);
      if (target?.line !== undefined) {
        const at = { line: target.line, character: 0 };
        await openAt(target.hit.uri, { start: at, end: at }, { preview: true });
      } else if (target) {
        await openHit(target.hit);
      }
    }),
    command("openToSide", async (node: Node) => {
      const target = targetOf(node);
      if (target) {
        await openHit(target.hit, true);
      }
    }),
    command("explain", (node: HitNode) => explain(ui.controller, node)),
    command("clearHistory", async () => {
      await ui.searcher.forgetHistory();
      vscode.window.setStatusBarMessage("Surveyor's search history is cleared.", 5000);
    }),
  ];
}

async function explain(controller: ServerController, node: HitNode): Promise<void> {
  const query = node.parent.parent.query;
  const answer = await controller.request<ExplainAnswer>("surveyor/explain", {
    query,
    id: node.hit.id,
    ...(node.hit.uri ? { uri: node.hit.uri } : {}),
  });
  if (!answer) {
    return;
  }
  await vscode.window.showQuickPick(
    answer.parts.map((part) => ({
      label: part.name,
      description: `${part.operation === "add" ? "+" : "×"} ${part.value.toFixed(4)}`,
      detail: `score ${part.score.toFixed(4)}`,
    })),
    { title: `Why this result: score ${answer.score.toFixed(4)}, confidence ${answer.confidence.toFixed(2)}` },
  );
}

interface CodeViews {
  impact: ImpactView;
  history: HistoryView;
  tests: RelatedTests;
  check: CheckView;
  rules: RulesView;
  ruleDocuments: RuleDocuments;
  agents: AgentsView;
  graph: GraphView;
}

function registerCode(ui: SearchUi, views: CodeViews): vscode.Disposable[] {
  return [
    command("similar", async (given?: SimilarParams) => {
      const params = given ?? activeRange();
      if (params) {
        similarQuickPick(ui, params);
      }
    }),
    command("impact", async (given?: ImpactParams) => {
      const params = given ?? activePosition();
      if (params) {
        await views.impact.show(params);
      }
    }),
    ...registerHistory(views.history),
    ...registerTests(views.tests),
    command("drawImpact", (given?: ImpactParams) => views.graph.show("impact", given ?? views.impact.shown ?? activePosition())),
    command("drawCallers", (given?: ImpactParams) => views.graph.show("callers", given ?? activePosition())),
    command("drawMap", () => views.graph.show("map", undefined)),
    command("showReferences", (at: { uri: string; position: Position }) => showReferences(at)),
    command("impactView.refresh", () => views.impact.refresh()),
    command("impactView.showRest", () => views.impact.showRest()),
    command("agentsView.refresh", () => views.agents.refresh()),
    command("showAgentPath", (node?: AgentNode) => views.agents.showPath(node)),
    command("check", () => views.check.check()),
    command("checkView.runTests", (node?: CheckNode) => views.check.runTests(node)),
    command("remember", async (given?: Partial<RememberParams>) => {
      const answer = await remember(ui.controller, given);
      if (answer) {
        await views.rules.refreshUntil((rules) => rules.some((rule) => rule.label === answer.label));
      }
    }),
    command("rulesView.refresh", () => views.rules.refresh()),
    ...registerRules(ui.controller, views.rules, views.ruleDocuments),
    command("openLocation", (uri: string, range: Range) => openAt(uri, range, { preview: true })),
  ];
}

function registerHistory(view: HistoryView): vscode.Disposable[] {
  return [
    command("history", async (given?: SimilarParams) => {
      const params = given ?? activeRange();
      if (params) {
        await view.show(params);
      }
    }),
    command("historyView.refresh", () => view.refresh()),
    command("historyView.close", () => view.close()),
    command("historyView.showRest", () => view.showRest()),
    command("openCommit", (commit: CodeCommit) => view.open(commit)),
    command("copyCommit", (commit: CodeCommit) => vscode.env.clipboard.writeText(commit.commit)),
  ];
}

function registerTests(tests: RelatedTests): vscode.Disposable[] {
  const show = async (given?: ImpactParams): Promise<boolean> => {
    const params = given ?? activePosition();
    return params !== undefined && (await tests.show(params));
  };
  return [
    command("relatedTests", show),
    command("runRelatedTests", async (given?: ImpactParams) => {
      if (await show(given)) {
        await tests.runAll();
      }
    }),
  ];
}

function registerRules(controller: ServerController, view: RulesView, documents: RuleDocuments): vscode.Disposable[] {
  type Named = Pick<Rule, "label" | "scope"> & Partial<Rule>;
  const withRule = (run: (rule: Rule) => Promise<void>) => async (named: Named): Promise<void> => {
    const rule = await view.whole(named);
    if (rule) {
      await run(rule);
    }
  };
  return [
    command("showRule", withRule((rule) => documents.show(rule))),
    command("goToRule", withRule(goToRule)),
    command("editRule", withRule(async (rule) => {
      if (await editRule(controller, rule)) {
        await view.refreshUntil((rules) => rules.every((each) => each.label !== rule.label || each.content !== rule.content));
      }
    })),
    command("deleteRule", withRule(async (rule) => {
      if (await deleteRule(controller, rule)) {
        await view.refreshUntil((rules) => rules.every((each) => each.label !== rule.label || each.scope !== rule.scope));
      }
    })),
  ];
}

/** What the references lens opens: the editor's own list. */
async function showReferences(at: { uri: string; position: Position }): Promise<void> {
  const uri = vscode.Uri.parse(at.uri);
  const position = new vscode.Position(at.position.line, at.position.character);
  const places = await vscode.commands.executeCommand<vscode.Location[]>("vscode.executeReferenceProvider", uri, position);
  await vscode.commands.executeCommand("editor.action.showReferences", uri, position, places);
}

/** The project a command is about: the only one, the active editor's, or the one chosen. */
async function chooseProject(controller: ServerController): Promise<ProjectState | undefined> {
  await controller.refreshStatus();
  const projects = controller.status?.projects ?? [];
  const active = vscode.window.activeTextEditor?.document.uri.fsPath;
  const holding = projects
    .filter((project) => active?.startsWith(project.root))
    .sort((a, b) => b.root.length - a.root.length)[0];
  if (projects.length <= 1 || holding) {
    return holding ?? projects[0];
  }
  const items = projects.map((project) => ({ label: project.name, description: project.root, project }));
  return (await vscode.window.showQuickPick(items, { title: "Surveyor", placeHolder: "Which folder?" }))?.project;
}

function registerServer(
  controller: ServerController,
  channels: Channels,
  servers: LanguageServers,
  rules: RulesView,
  version: string,
): vscode.Disposable[] {
  const onProject = (run: (project: ProjectState) => unknown) => async (): Promise<void> => {
    const project = await chooseProject(controller);
    if (project) {
      await run(project);
    } else {
      void vscode.window.showInformationMessage("Surveyor has indexed no folder of this window.");
    }
  };
  const reindex = async (given: { uri?: string } | undefined, clean: boolean): Promise<void> => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.toString();
    const uri = given?.uri ?? vscode.window.activeTextEditor?.document.uri.toString() ?? folder;
    await controller.request("surveyor/reindex", uri ? { uri, clean } : { clean });
    await controller.refreshStatus();
  };
  return [
    command("status", () => showStatusMenu(controller, channels, servers)),
    command("languageServers", () => servers.choose()),
    command("reindex", (given?: { uri?: string }) => reindex(given, false)),
    command("rebuildIndex", (given?: { uri?: string }) => reindex(given, true)),
    command("pause", onProject((project) => control(controller, project, "pause"))),
    command("resume", onProject((project) => control(controller, project, "resume"))),
    command("skipFolder", onProject((project) => control(controller, project, "skip"))),
    command("removeIndex", onProject((project) => control(controller, project, "remove"))),
    command("skippedFiles", onProject((project) => showSkipped(controller, project))),
    command("restart", async () => {
      await controller.restart("asked for");
      rules.refresh();
    }),
    command("installServer", () => controller.install()),
    command("installLanguageServer", (language?: string) => installLanguageServer(controller, language)),
    command("setServerPath", () => setServerPath((reason) => controller.restart(reason))),
    command("showClientLog", () => channels.client.show()),
    command("showServerLog", () => channels.server.show()),
    command("showVersion", () => {
      const { server } = controller;
      const found = server ? `server ${server.version} from ${server.source} (${server.command})` : "no server found";
      void vscode.window.showInformationMessage(`Surveyor extension ${version}, ${found}`);
    }),
    command("supportReport", () => supportReport(controller)),
    command("walkthrough", () => openWalkthrough(controller)),
  ];
}

/** Follows what changes while the window is open: settings, trust, interpreters, extensions. */
async function follow(controller: ServerController, rules: RulesView): Promise<vscode.Disposable[]> {
  return [
    vscode.workspace.onDidChangeConfiguration((event) => {
      const restarting = RESTARTING.filter((name) => event.affectsConfiguration(name));
      if (restarting.length > 0) {
        void controller.restart(`${restarting.join(", ")} changed`);
      } else {
        controller.reconsiderModes();
        if (event.affectsConfiguration(SECTION)) {
          controller.pushConfiguration();
        }
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void controller.restart("the workspace is trusted now")),
    vscode.extensions.onDidChange(() => controller.reconsiderModes()),
    vscode.workspace.onDidChangeWorkspaceFolders(() => rules.refresh()),
    controller.onDidChangeState(() => controller.state === "running" && rules.refresh()),
    await onInterpreterChange(() => {
      // A server from elsewhere does not depend on the interpreter.
      if (!controller.server || controller.server.source === "interpreter") {
        void controller.restart("the interpreter changed");
      }
    }),
  ];
}
