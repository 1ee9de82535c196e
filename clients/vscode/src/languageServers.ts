/**
 * Owns what one does with a language server: installing one that is missing, by the server's own
 * `servers install`, starting one anew, and reading its log.
 */

import { execFile, spawn } from "node:child_process";
import { promisify } from "node:util";
import * as vscode from "vscode";
import type { ServerController } from "./client";
import { describeUpstream } from "./format";
import { sayNoServer } from "./noServer";
import type { ServerLogAnswer, UpstreamState } from "./protocol";
import { choicesOf, type KnownServer, type ServerChoice } from "./serverChoices";

const run = promisify(execFile);
const LIST_TIMEOUT_MS = 30_000;

/** Offers what is missing, of one language or of all, installs what is chosen, and starts it. */
export async function installLanguageServer(controller: ServerController, language?: string): Promise<void> {
  const command = controller.server?.command;
  if (!command) {
    void sayNoServer(controller);
    return;
  }
  const listed = run(command, ["servers", "list", "--json"], { timeout: LIST_TIMEOUT_MS }).then(({ stdout }) =>
    choicesOf((JSON.parse(stdout) as { servers: KnownServer[] }).servers, language),
  );
  const items = listed.then((choices) => choices.map(itemOf));
  const chosen = await vscode.window.showQuickPick(items, {
    title: language ? `Install a Language Server for ${language}` : "Install a Language Server",
    placeHolder: "Which one?",
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (chosen?.choice.isOurs) {
    await install(controller, command, chosen.choice.server);
  } else if (chosen) {
    await vscode.env.clipboard.writeText(chosen.choice.how);
    void vscode.window.showInformationMessage(`${chosen.choice.how} (copied)`);
  }
}

function itemOf(choice: ServerChoice): vscode.QuickPickItem & { choice: ServerChoice } {
  return {
    label: `$(${choice.isOurs ? "cloud-download" : "info"}) ${choice.server}`,
    description: choice.language,
    detail: choice.isOurs ? "Into an environment of Surveyor's own, from PyPI or npm" : choice.how,
    choice,
  };
}

async function install(controller: ServerController, command: string, name: string): Promise<void> {
  const log = controller.channels.client;
  const args = ["servers", "install", name];
  const failure = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: `Installing ${name}`, cancellable: true },
    (progress, token) =>
      new Promise<string | undefined>((resolve) => {
        log.info(`$ ${command} ${args.join(" ")}`);
        const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
        let last = "";
        const note = (data: Buffer): void => {
          for (const line of data.toString().split(/\r?\n/).filter(Boolean)) {
            log.info(line);
            progress.report({ message: (last = line) });
          }
        };
        child.stdout.on("data", note);
        child.stderr.on("data", note);
        token.onCancellationRequested(() => child.kill());
        child.on("error", (error) => resolve(error.message));
        child.on("close", (code) => resolve(token.isCancellationRequested ? "" : code === 0 ? undefined : last || `ended with ${code}`));
      }),
  );
  if (failure === undefined) {
    await controller.restart(`${name} was installed`);
    vscode.window.setStatusBarMessage(`Surveyor: ${name} is installed`, 5000);
  } else if (failure) {
    const show = "Show Log";
    if ((await vscode.window.showErrorMessage(`${name} was not installed: ${failure}`, show)) === show) {
      log.show();
    }
  }
}

/** Shows what language servers say, one channel of the output each. */
export class LanguageServers implements vscode.Disposable {
  private readonly logs = new Map<string, vscode.OutputChannel>();

  constructor(private readonly controller: ServerController) {}

  dispose(): void {
    vscode.Disposable.from(...this.logs.values()).dispose();
  }

  /** Asks which server, and what about it. */
  async choose(): Promise<void> {
    const items = this.controller.refreshStatus().then(() =>
      (this.controller.status?.upstreams ?? [])
        .filter((upstream) => upstream.name !== "")
        .map((upstream) => ({ ...describeItem(upstream), upstream })),
    );
    const placeHolder = "Which language server?";
    const none = { label: "$(info) Surveyor runs no language server: none was needed yet, or another extension serves these files", upstream: undefined };
    const shown = items.then((found) => (found.length > 0 ? found : [none]));
    const chosen = await vscode.window.showQuickPick<{ label: string; upstream: UpstreamState | undefined }>(shown, { title: "Language Servers", placeHolder });
    if (chosen?.upstream) {
      await this.act(chosen.upstream);
    }
  }

  /** Asks what to do with a server, and does it. */
  async act(upstream: UpstreamState): Promise<void> {
    const { label, detail } = describeUpstream(upstream);
    const actions = [
      { label: "$(output) Show Log", run: () => this.showLog(upstream) },
      { label: "$(debug-restart) Restart", detail: "Also for other windows and agents that use it", run: () => this.restart(upstream) },
    ];
    const chosen = await vscode.window.showQuickPick(actions, { title: `${label}: ${detail}`, placeHolder: "What about it?" });
    await chosen?.run();
  }

  private async showLog(upstream: UpstreamState): Promise<void> {
    const answer = await this.controller.request<ServerLogAnswer>("surveyor/serverLog", { language: upstream.language, root: upstream.root });
    if (answer) {
      const key = `${upstream.language}\0${upstream.root}`;
      const log = this.logs.get(key) ?? vscode.window.createOutputChannel(`Surveyor: ${answer.name}`, "log");
      this.logs.set(key, log);
      log.replace(answer.text);
      log.show();
    }
  }

  private async restart(upstream: UpstreamState): Promise<void> {
    const answer = await this.controller.request<{ message: string }>("surveyor/restartServer", { language: upstream.language, root: upstream.root });
    if (answer) {
      vscode.window.setStatusBarMessage(`Surveyor: ${answer.message}`, 4000);
    }
    await this.controller.refreshStatus();
  }
}

/** A server as an entry of a list: its name and how it is. */
export function describeItem(upstream: UpstreamState): { label: string; description: string } {
  const { label, detail } = describeUpstream(upstream);
  return { label: `$(${upstream.ready ? "check" : "circle-outline"}) ${label}`, description: detail };
}
