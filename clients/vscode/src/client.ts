/**
 * Owns the language client: starting, stopping and restarting the server one step at a time,
 * its middleware, and the typed custom requests.
 */

import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  RevealOutputChannelOn,
  State,
  type LanguageClientOptions,
  type Middleware,
  type ServerCapabilities,
  type StaticFeature,
  WorkDoneProgress,
} from "vscode-languageclient/node";
import { decide, findProviders, type Decision, type InstalledExtension } from "./companion";
import { installServer } from "./environment";
import type { AgentCall, StatusAnswer } from "./protocol";
import { Complaint } from "./complaint";
import { findServer, type Server } from "./server";
import { forgetServerPath, setServerPath } from "./serverPath";
import { SECTION, settings } from "./settings";

/** Restarts of a server that dies by itself, within the window below, before we give up. */
const MOST_CRASHES = 5;
const CRASH_WINDOW_MS = 180_000;

/** What a link in a hover may run. A hover's text may be the repository's: nothing here acts unasked. */
const HOVER_COMMANDS = ["search", "similar", "impact", "showRule", "editRule", "deleteRule"].map((name) => `${SECTION}.${name}`);

export type ServerState = "stopped" | "starting" | "running" | "missing" | "failed";

export interface Channels {
  client: vscode.LogOutputChannel;
  server: vscode.LogOutputChannel;
  trace: vscode.LogOutputChannel;
}

/**
 * The extension has commands of the same names, which show what the server's only answer; the
 * client must not register the server's on top of them.
 */
class OwnCommands implements StaticFeature {
  fillClientCapabilities(): void {
    // nothing to announce
  }
  preInitialize(capabilities: ServerCapabilities): void {
    delete capabilities.executeCommandProvider;
  }
  initialize(): void {
    // nothing to register
  }
  getState(): { kind: "static" } {
    return { kind: "static" };
  }
  clear(): void {
    // nothing to take back
  }
}

/** The server's option for another log file, if the user wants one. */
function logFile(): string[] {
  const file = settings.logFile();
  return file ? ["--log-file", file] : [];
}

export class ServerController implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private queue: Promise<void> = Promise.resolve();
  private queued = false;
  private progressTokens = 0;
  private crashes: number[] = [];
  private readonly complaint = new Complaint();
  /** Progress items that are shown by our own status item instead. */
  private readonly quiet = new Set<string>();
  private providers: ReadonlyMap<string, string> = new Map();
  private readonly stateEmitter = new vscode.EventEmitter<void>();
  private readonly statusEmitter = new vscode.EventEmitter<StatusAnswer>();
  private readonly callEmitter = new vscode.EventEmitter<AgentCall>();

  readonly onDidChangeState = this.stateEmitter.event;
  readonly onDidChangeStatus = this.statusEmitter.event;
  readonly onAgentCall = this.callEmitter.event;

  state: ServerState = "stopped";
  /** Why the server is missing or failed, for the status item. */
  trouble = "";
  server: Server | undefined;
  status: StatusAnswer | undefined;

  constructor(
    readonly channels: Channels,
    private readonly extension: vscode.Extension<unknown>,
  ) {}

  /** Starts or restarts; calls while one is waiting its turn become one. */
  restart(reason: string): Promise<void> {
    if (this.queued) {
      return this.queue;
    }
    this.queued = true;
    this.queue = this.queue.then(async () => {
      this.queued = false;
      this.channels.client.info(`Starting the server: ${reason}`);
      await this.stop();
      await this.start();
    });
    return this.queue;
  }

  private async start(): Promise<void> {
    this.become("starting");
    const { server, missing } = await findServer(this.channels.client);
    this.server = server;
    if (!server) {
      this.become("missing", `No Surveyor server was found. Looked at ${missing.join("; ")}`);
      void this.tellMissing(missing);
      return;
    }
    this.providers = this.findProviders();
    const client = new LanguageClient(
      SECTION,
      "Surveyor",
      {
        command: server.command,
        args: ["lsp", "--log-level", settings.logLevel(), ...logFile()],
        options: { env: this.environment() },
      },
      this.options(),
    );
    client.registerFeature(new OwnCommands());
    client.onNotification("surveyor/status", (status: StatusAnswer) => this.receive(status));
    client.onNotification("surveyor/activity", (call: AgentCall) => this.callEmitter.fire(call));
    client.onDidChangeState(({ newState }) => {
      if (client === this.client && newState === State.Running) {
        this.become("running");
        void this.refreshStatus();
      }
    });
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.channels.client.error(`The server did not start: ${message}`);
      this.become("failed", `The server did not start: ${message}`);
      void this.tellFailed(`Surveyor did not start: ${message}`);
    }
  }

  private async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.status = undefined;
    if (client) {
      try {
        await client.dispose(2000);
      } catch (error) {
        this.channels.client.warn(`While stopping: ${String(error)}`);
      }
    }
    this.become("stopped");
  }

  dispose(): Promise<void> {
    this.queue = this.queue.then(() => this.stop());
    return this.queue.then(() => {
      this.stateEmitter.dispose();
      this.statusEmitter.dispose();
      this.callEmitter.dispose();
    });
  }

  /** Sends a custom request; `undefined` when no server runs. Rejects when it answers an error. */
  async request<T>(method: string, params: object, token?: vscode.CancellationToken): Promise<T | undefined> {
    const client = this.client;
    if (!client || client.state !== State.Running) {
      return undefined;
    }
    return token ? client.sendRequest<T>(method, params, token) : client.sendRequest<T>(method, params);
  }

  /** A request that takes long, as `requestReporting`; what goes wrong is shown, not thrown. */
  async requestWithProgress<T>(
    method: string,
    params: object,
    report: (message: string) => void,
    cancel: vscode.CancellationToken,
  ): Promise<T | undefined> {
    try {
      return await this.requestReporting<T>(method, params, report, cancel);
    } catch (error) {
      if (!cancel.isCancellationRequested) {
        void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
      }
      return undefined;
    }
  }

  /** A request that takes long: `report` hears how far it is, and cancelling it ends the work. */
  async requestReporting<T>(
    method: string,
    params: object,
    report: (message: string) => void,
    cancel: vscode.CancellationToken,
  ): Promise<T | undefined> {
    const workDoneToken = `surveyor-client-${(this.progressTokens += 1)}`;
    const listening = this.client?.onProgress(WorkDoneProgress.type, workDoneToken, (value) => {
      if (value.kind === "report" && value.message) {
        report(value.message);
      }
    });
    try {
      return await this.request<T>(method, { ...params, workDoneToken }, cancel);
    } finally {
      listening?.dispose();
    }
  }

  async refreshStatus(): Promise<void> {
    try {
      const status = await this.request<StatusAnswer>("surveyor/status", {});
      if (status) {
        this.receive(status);
      }
    } catch (error) {
      this.channels.client.debug(`surveyor/status: ${String(error)}`);
    }
  }

  /** The mode of a language in this window, and why. */
  decision(language: string): Decision {
    return decide(language, settings.mode(language), this.providers);
  }

  /** Modes by language id, as the server reads them; `*` is any other language. */
  modes(): Record<string, Decision> {
    const modes: Record<string, Decision> = { "*": this.decision("") };
    const open = vscode.workspace.textDocuments.map((document) => document.languageId);
    for (const language of new Set([...this.providers.keys(), ...open])) {
      modes[language] = this.decision(language);
    }
    return modes;
  }

  /** Looks again at who serves what; tells the server when that changed. */
  reconsiderModes(): void {
    const before = JSON.stringify(this.modes());
    this.providers = this.findProviders();
    if (before !== JSON.stringify(this.modes())) {
      this.pushConfiguration();
      this.stateEmitter.fire();
    }
  }

  pushConfiguration(): void {
    if (this.client?.state === State.Running) {
      void this.client.sendNotification("workspace/didChangeConfiguration", {
        settings: { [SECTION]: this.configuration() },
      });
    }
  }

  /** The `surveyor` section for the server, with the modes decided. */
  private configuration(resource?: vscode.Uri): Record<string, unknown> {
    const section = vscode.workspace.getConfiguration(SECTION, resource ?? null);
    const values = JSON.parse(JSON.stringify(section)) as { hover?: { enabled?: boolean } };
    return {
      ...values,
      hover: values.hover?.enabled === false ? false : values.hover,
      mode: this.modes(),
      trusted: vscode.workspace.isTrusted,
      ruleCommands: true,
      statusNotifications: true,
      activityNotifications: true,
    };
  }

  private findProviders(): Map<string, string> {
    const installed = vscode.extensions.all.map((extension): InstalledExtension => {
      const manifest = extension.packageJSON as Record<string, unknown>;
      const list = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
      return {
        id: extension.id,
        displayName: String(manifest["displayName"] ?? extension.id),
        activationEvents: list(manifest["activationEvents"]),
        categories: list(manifest["categories"]),
        hasCode: Boolean(manifest["main"] ?? manifest["browser"]),
        languages: [],
      };
    });
    const read = (name: string): unknown => vscode.workspace.getConfiguration().get(name);
    return findProviders(installed, read, this.extension.id);
  }

  private environment(): NodeJS.ProcessEnv {
    const environment: NodeJS.ProcessEnv = { ...process.env };
    // VS Code's own variables would turn a child that runs node into the editor.
    delete environment["ELECTRON_RUN_AS_NODE"];
    delete environment["VSCODE_IPC_HOOK_CLI"];
    return environment;
  }

  private options(): LanguageClientOptions {
    const isCompanion = (document: vscode.TextDocument): boolean =>
      this.decision(document.languageId).mode === "companion";
    const middleware: Middleware = {
      // Our status item shows how indexing goes: one quiet item is enough.
      handleWorkDoneProgress: (token, params, next) => {
        const key = String(token);
        if (params.kind === "begin" && params.title.startsWith("Indexing")) {
          this.quiet.add(key);
        }
        if (!this.quiet.has(key)) {
          next(token, params);
        } else if (params.kind === "end") {
          this.quiet.delete(key);
        }
      },
      // In companion mode the other server answers these; two answers would be joined.
      provideDefinition: (document, position, token, next) =>
        isCompanion(document) ? undefined : next(document, position, token),
      provideDeclaration: (document, position, token, next) =>
        isCompanion(document) ? undefined : next(document, position, token),
      provideTypeDefinition: (document, position, token, next) =>
        isCompanion(document) ? undefined : next(document, position, token),
      provideImplementation: (document, position, token, next) =>
        isCompanion(document) ? undefined : next(document, position, token),
      provideReferences: (document, position, options, token, next) =>
        isCompanion(document) ? undefined : next(document, position, options, token),
      provideDocumentHighlights: (document, position, token, next) =>
        isCompanion(document) ? undefined : next(document, position, token),
      provideDocumentSymbols: (document, token, next) => (isCompanion(document) ? undefined : next(document, token)),
      prepareCallHierarchy: (document, position, token, next) =>
        isCompanion(document) ? undefined : next(document, position, token),
      prepareTypeHierarchy: (document, position, token, next) =>
        isCompanion(document) ? undefined : next(document, position, token),
      workspace: {
        configuration: async (params, token, next) => {
          const answers = await next(params, token);
          if (!Array.isArray(answers)) {
            return answers;
          }
          return params.items.map((item, index) =>
            item.section === SECTION
              ? this.configuration(item.scopeUri ? vscode.Uri.parse(item.scopeUri) : undefined)
              : (answers[index] as unknown),
          );
        },
      },
    };
    return {
      documentSelector: [{ scheme: "file" }, { scheme: "untitled" }],
      initializationOptions: this.configuration(),
      outputChannel: this.channels.server,
      traceOutputChannel: this.channels.trace,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      markdown: { isTrusted: { enabledCommands: HOVER_COMMANDS } },
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => this.afterCrash(),
      },
      middleware,
    };
  }

  private afterCrash(): { action: CloseAction; handled: boolean } {
    const now = Date.now();
    this.crashes = [...this.crashes.filter((time) => now - time < CRASH_WINDOW_MS), now];
    this.status = undefined;
    if (this.crashes.length < MOST_CRASHES) {
      this.channels.client.warn(`The server ended; starting it again (${this.crashes.length})`);
      this.become("starting");
      return { action: CloseAction.Restart, handled: true };
    }
    this.crashes = [];
    const message = `The server ended ${MOST_CRASHES} times in ${CRASH_WINDOW_MS / 60_000} minutes`;
    this.become("failed", message);
    void this.tellFailed(`Surveyor: ${message}.`);
    return { action: CloseAction.DoNotRestart, handled: true };
  }

  private receive(status: StatusAnswer): void {
    this.status = status;
    this.statusEmitter.fire(status);
  }

  private become(state: ServerState, trouble = ""): void {
    this.state = state;
    this.trouble = trouble;
    if (state === "running") {
      void this.complaint.takeBack();
    }
    this.stateEmitter.fire();
  }

  private async tellMissing(missing: string[]): Promise<void> {
    const install = "Install…";
    const locate = "Set Path…";
    const show = "Show Log";
    const message = settings.serverPath()
      ? `Surveyor has no server. ${missing.join("; ")}. Set another path, or install the server.`
      : `Surveyor's server was not found (looked at ${missing.length} places).`;
    const chosen = await this.complaint.tell(message, install, locate, show);
    if (chosen === install) {
      await this.install();
    } else if (chosen === locate) {
      await setServerPath(this);
    } else if (chosen === show) {
      this.channels.client.show();
    }
  }

  async install(): Promise<void> {
    const { extensionPath, packageJSON } = this.extension;
    if (await installServer(this.channels.client, extensionPath, String((packageJSON as { version?: string }).version))) {
      if (this.state === "missing") {
        await forgetServerPath();
      }
      await this.restart("the server was installed");
    }
  }

  private async tellFailed(message: string): Promise<void> {
    const again = "Restart";
    const show = "Show Log";
    const chosen = await this.complaint.tell(message, again, show);
    if (chosen === again) {
      await this.restart("asked for");
    } else if (chosen === show) {
      this.channels.server.show();
    }
  }
}
