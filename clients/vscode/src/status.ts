/** Owns the status bar item, the language status item and the menu behind them. */

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as vscode from "vscode";
import type { Channels, ServerController } from "./client";
import { bytes, counted, describeUpstream, isIndexed, isIndexing, summarise, type Summary } from "./format";
import type { ControlAction, ProjectState, SkippedAnswer, UpstreamState } from "./protocol";
import { describeItem, installLanguageServer, type LanguageServers } from "./languageServers";
import { supportReport } from "./report";
import { remedies, whyNoServer } from "./noServer";

const run = promisify(execFile);

const RESTRICTED = "Restricted Mode: nothing that these folders bring is run, no test and no server of theirs";

export class StatusItems implements vscode.Disposable {
  private readonly bar = vscode.window.createStatusBarItem("surveyor.status", vscode.StatusBarAlignment.Left, 0);
  private readonly language = vscode.languages.createLanguageStatusItem("surveyor.language", [
    { scheme: "file" },
    { scheme: "untitled" },
  ]);
  private readonly listeners: vscode.Disposable[];

  constructor(private readonly controller: ServerController) {
    this.bar.name = "Surveyor";
    this.bar.command = "surveyor.status";
    this.language.name = "Surveyor";
    this.listeners = [
      controller.onDidChangeState(() => this.render()),
      controller.onDidChangeStatus(() => this.render()),
      vscode.window.onDidChangeActiveTextEditor(() => this.render()),
    ];
    this.render();
    this.bar.show();
  }

  dispose(): void {
    for (const listener of [...this.listeners, this.bar, this.language]) {
      listener.dispose();
    }
  }

  private summary(): Summary {
    const { state, status, trouble, lookedAt } = this.controller;
    if (state === "missing" || state === "failed") {
      const text = state === "missing" ? "No server" : "Server failed";
      const places = state === "missing" ? `. Looked at ${lookedAt.join("; ")}` : "";
      return { text, busy: false, severity: "error", detail: trouble + places };
    }
    if (state !== "running" || !status) {
      const busy = state !== "stopped";
      return { text: "Surveyor", busy, severity: "information", detail: busy ? "Starting" : "Stopped" };
    }
    if (!vscode.workspace.workspaceFolders?.length && status.engine.state === "up" && status.projects.length === 0) {
      return { text: "No folder", busy: false, severity: "information", detail: "No folder is open" };
    }
    return summarise(status);
  }

  private render(): void {
    const summary = this.summary();
    const icon = summary.busy
      ? "sync~spin"
      : { information: "compass", warning: "warning", error: "error" }[summary.severity];
    this.bar.text = `$(${icon}) ${summary.text}`;
    this.bar.tooltip = this.tooltip(summary);
    this.bar.accessibilityInformation = { label: `Surveyor: ${summary.detail}`, role: "button" };
    this.bar.backgroundColor =
      summary.severity === "error" ? new vscode.ThemeColor("statusBarItem.errorBackground") : undefined;

    const editor = vscode.window.activeTextEditor;
    this.language.text = `Surveyor: ${summary.text === "Surveyor" ? "ready" : summary.text}`;
    this.language.busy = summary.busy;
    this.language.severity = {
      information: vscode.LanguageStatusSeverity.Information,
      warning: vscode.LanguageStatusSeverity.Warning,
      error: vscode.LanguageStatusSeverity.Error,
    }[summary.severity];
    const decision = editor && this.controller.decision(editor.document.languageId);
    if (decision?.doubledBy && summary.severity === "information") {
      this.language.severity = vscode.LanguageStatusSeverity.Warning;
    }
    this.language.detail = decision ? `${decision.mode}: ${decision.reason}` : summary.detail;
    this.language.command = { command: "surveyor.showServerLog", title: "Show Log" };
  }

  private tooltip(summary: Summary): vscode.MarkdownString {
    const text = new vscode.MarkdownString(undefined, true);
    const line = (value: string): void => {
      text.appendMarkdown("\n\n");
      text.appendText(value);
    };
    const { status, state, trouble, lookedAt } = this.controller;
    text.appendText(`Surveyor: ${trouble || summary.detail}`);
    for (const place of state === "missing" ? lookedAt : []) {
      line(place);
    }
    for (const project of status?.projects ?? []) {
      line(`${project.name}: ${describeProject(project)}`);
    }
    for (const upstream of relevant(status?.upstreams ?? [])) {
      const { label, detail } = describeUpstream(upstream);
      line(`${label}: ${detail}`);
    }
    if (!vscode.workspace.isTrusted) {
      line(RESTRICTED);
    }
    const editor = vscode.window.activeTextEditor;
    if (editor && this.controller.state === "running") {
      const { mode, reason } = this.controller.decision(editor.document.languageId);
      line(`${editor.document.languageId}: ${mode}, because ${reason}`);
    }
    return text;
  }
}

/** Servers that run, and languages of open documents that have none of ours. */
function relevant(upstreams: readonly UpstreamState[]): UpstreamState[] {
  const open = new Set(vscode.workspace.textDocuments.map((document) => document.languageId));
  return upstreams.filter((upstream) => upstream.name !== "" || open.has(upstream.language));
}

export function describeProject(project: ProjectState): string {
  if (!isIndexed(project)) {
    return "not indexed";
  }
  const parts = [`${counted(project.files, "file")}`, `${counted(project.chunks, "chunk")}`];
  if (project.indexing && isIndexing(project)) {
    parts.unshift(`indexing ${project.indexing.done} of ${project.indexing.total}`);
  } else if (project.status !== "healthy" && !(project.paused && project.status === "indexing")) {
    parts.unshift(`${project.status}${project.message ? ` (${project.message})` : ""}`);
  }
  if (project.filesBehind > 0) {
    parts.push(`${project.filesBehind} behind`);
  }
  if (project.skipped > 0) {
    parts.push(`${project.skipped} skipped`);
  }
  if (project.paused) {
    parts.push("paused");
  }
  return parts.join(", ");
}

type MenuItem = vscode.QuickPickItem & { run?: () => unknown };

/** The menu that a click on the status item opens. */
export async function showStatusMenu(controller: ServerController, channels: Channels, servers: LanguageServers): Promise<void> {
  // It opens at once: a menu that came later would take the place of what is open by then.
  const items = controller.refreshStatus().then(() => menuItems(controller, channels, servers));
  const chosen = await vscode.window.showQuickPick(items, { title: "Surveyor", placeHolder: "What now?", matchOnDescription: true });
  await chosen?.run?.();
}

function menuItems(controller: ServerController, channels: Channels, servers: LanguageServers): MenuItem[] {
  const items: MenuItem[] = [];
  const separator = (label: string): void => void items.push({ label, kind: vscode.QuickPickItemKind.Separator });
  if (controller.state === "running") {
    items.push({ label: "$(search) Search by meaning", run: () => vscode.commands.executeCommand("surveyor.search") });
  } else if (controller.state === "starting") {
    items.push({ label: "$(sync~spin) The server is starting" });
  } else {
    const label = `$(error) ${whyNoServer(controller)}`;
    const places = controller.state === "missing" ? { detail: `Looked at ${controller.lookedAt.join("; ")}` } : {};
    items.push({ label, ...places, run: () => controller.showLog() });
    items.push(...remedies(controller).map(({ title, icon, run }) => ({ label: `$(${icon}) ${title}`, run })));
  }
  for (const project of controller.status?.projects ?? []) {
    separator(project.name);
    const reindex = (): unknown => vscode.commands.executeCommand("surveyor.reindex", { uri: uriOf(project) });
    if (!isIndexed(project)) {
      items.push({ label: "$(add) Index this folder", description: project.root, run: reindex });
      continue;
    }
    items.push({ label: `$(root-folder) ${describeProject(project)}`, description: project.root });
    items.push(
      project.paused
        ? { label: "$(debug-start) Resume indexing", run: () => control(controller, project, "resume") }
        : { label: "$(debug-pause) Pause indexing", run: () => control(controller, project, "pause") },
      { label: "$(refresh) Reindex", run: reindex },
      { label: "$(list-unordered) Files skipped and why", run: () => showSkipped(controller, project) },
      { label: "$(database) Disk used", run: () => showDisk(controller, project) },
      { label: "$(circle-slash) Skip this folder", run: () => control(controller, project, "skip") },
      { label: "$(trash) Remove index…", run: () => control(controller, project, "remove") },
    );
  }
  if (!vscode.workspace.isTrusted) {
    separator("Restricted Mode");
    items.push({ label: `$(shield) ${RESTRICTED}`, run: () => vscode.commands.executeCommand("workbench.trust.manage") });
  }
  const upstreams = relevant(controller.status?.upstreams ?? []);
  if (upstreams.length > 0) {
    separator("Language servers");
    for (const upstream of upstreams) {
      if (upstream.state === "missing") {
        const { label, detail } = describeUpstream(upstream);
        const run = (): unknown => installLanguageServer(controller, upstream.language);
        items.push({ label: `$(cloud-download) ${label}: install a server…`, description: detail, run });
      } else {
        const run = (): unknown => servers.act(upstream);
        items.push({ ...describeItem(upstream), ...(upstream.name ? { run } : {}) });
      }
    }
  }
  separator("Server");
  items.push(
    { label: "$(debug-restart) Restart", run: () => controller.restart("asked for") },
    { label: "$(output) Show server log", run: () => channels.server.show() },
    { label: "$(output) Show client log", run: () => channels.client.show() },
    { label: "$(copy) Copy a support report", run: () => supportReport(controller) },
  );
  return items;
}

function uriOf(project: ProjectState): string {
  return vscode.Uri.file(project.root).toString();
}

/** Asks the server to pause, resume, skip or remove a project; removing is confirmed first. */
export async function control(controller: ServerController, project: ProjectState, action: ControlAction): Promise<void> {
  if (action === "remove" || action === "skip") {
    const yes = action === "remove" ? "Remove" : "Skip";
    const detail =
      action === "remove"
        ? "The files stay as they are; opening the folder again makes a new index."
        : "Surveyor removes the folder's index and leaves it alone until you reindex it.";
    const answer = await vscode.window.showWarningMessage(
      action === "remove" ? `Remove the index of ${project.name}?` : `Skip ${project.name}?`,
      { modal: true, detail },
      yes,
    );
    if (answer !== yes) {
      return;
    }
  }
  const answer = await controller.request<{ message?: string }>("surveyor/control", { uri: uriOf(project), action });
  if (answer?.message) {
    vscode.window.setStatusBarMessage(`Surveyor: ${answer.message}`, 4000);
  }
  await controller.refreshStatus();
}

/** Lists the files that are not indexed, by reason; choosing one opens it. */
export async function showSkipped(controller: ServerController, project: ProjectState): Promise<void> {
  const answer = await controller.request<SkippedAnswer>("surveyor/skipped", { uri: uriOf(project) });
  const files = answer?.files ?? [];
  if (files.length === 0) {
    void vscode.window.showInformationMessage(`Surveyor skipped no file of ${project.name}.`);
    return;
  }
  const chosen = await vscode.window.showQuickPick(
    files.map((file) => ({ label: file.path, description: file.reason, detail: file.detail })),
    {
      title: `${counted(files.length, "skipped file")} in ${project.name}`,
      placeHolder: "Type to narrow down",
      matchOnDescription: true,
      matchOnDetail: true,
    },
  );
  if (chosen) {
    await vscode.window.showTextDocument(vscode.Uri.joinPath(vscode.Uri.file(project.root), chosen.label), { preview: true });
  }
}

async function showDisk(controller: ServerController, project: ProjectState): Promise<void> {
  let used = project.diskBytes;
  if (used === undefined || used === null) {
    const command = controller.server?.command;
    if (!command) {
      return;
    }
    const { stdout } = await run(command, ["status", project.root, "--json"], { timeout: 10_000 });
    const answer = JSON.parse(stdout) as { projects?: { root: string; disk_bytes?: number }[] };
    used = answer.projects?.find((other) => other.root === project.root)?.disk_bytes ?? 0;
  }
  void vscode.window.showInformationMessage(
    `Surveyor's index of ${project.name}: ${bytes(used)} on disk, ${counted(project.files, "file")}, ${counted(project.chunks, "chunk")}.`,
  );
}
