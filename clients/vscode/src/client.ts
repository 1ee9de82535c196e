/**
 * Owns the language client: starting, stopping and restarting the server one step at a time,
 * its middleware, and the typed custom requests.
 */

import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  ErrorCodes,
  LanguageClient,
  ResponseError,
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
import { findServer, type Server, type ServerState } from "./server";
import { counted } from "./format";
import { LastWords } from "./lastWords";
import { waysOn, type ServerKeeper } from "./noServer";
import { forgetServerPath } from "./serverPath";
import { SECTION, settings } from "./settings";

/** Restarts of a server that dies by itself, within the window below, before we give up. */
const MOST_CRASHES = 5;
const CRASH_WINDOW_MS = 180_000;

/** A first start may compile byte code on a slow disk; a server that says nothing by then hangs. */
const START_TIMEOUT_MS = 60_000;

/** What a server's last words have to reach us after its connection has closed. */
const LAST_WORDS_MS = 200;

/** What a link in a hover may run. A hover's text may be the repository's: nothing here acts unasked. */
const HOVER_COMMANDS = ["search", "similar", "impact", "showRule", "editRule", "deleteRule"].map((name) => `${SECTION}.${name}`);

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

/** A client whose troubles are told once, by the controller, not in messages of its own. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** The server's option for another log file, if the user wants one. */
function logFile(): string[] {
  const file = settings.logFile();
  return file ? ["--log-file", file] : [];
}

/** What an error of the connection means to somebody who does not know that there is one. */
function reasonOf(message: string): string {
  return /EPIPE|ECONNRESET|disposed|closed|destroyed/i.test(message) ? "it ends without saying why" : message;
}

/** The outcome of a promise; rejects when it takes longer. */
async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it has not answered for ${milliseconds / 1000} s`)), milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

export class ServerController implements ServerKeeper, vscode.Disposable {
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
  /** Why the server is missing or failed, in a sentence without a stop; empty while it is neither. */
  trouble = "";
  /** Where the server was looked for in vain, a phrase each. */
  lookedAt: readonly string[] = [];
  /** Whether the server that is there now, or was last, has ever answered. */
  wasRunning = false;
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
    this.lookedAt = missing;
    this.wasRunning = false;
    if (!server) {
      const configured = settings.serverPath();
      this.become("missing", configured ? missing.join("; ") : "The server was not found");
      void this.tellTrouble();
      return;
    }
    this.providers = this.findProviders();
    const words = new LastWords(this.channels.server);
    const client = new QuietClient(
      SECTION,
      "Surveyor",
      {
        command: server.command,
        args: ["lsp", "--log-level", settings.logLevel(), ...logFile()],
        options: { env: this.environment() },
      },
      this.options(words.channel),
    );
    client.registerFeature(new OwnCommands());
    client.onNotification("surveyor/status", (status: StatusAnswer) => this.receive(status));
    client.onNotification("surveyor/activity", (call: AgentCall) => this.callEmitter.fire(call));
    client.onDidChangeState(({ newState }) => {
      if (client === this.client && newState === State.Running) {
        this.wasRunning = true;
        this.become("running");
        void this.refreshStatus();
      }
    });
    this.client = client;
    try {
      await within(START_TIMEOUT_MS, client.start());
      if (client.state !== State.Running) {
        throw new Error("its connection was closed"); // the client forgets its start when that happens
      }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.channels.client.error(`The server did not start: ${message}`);
      this.client = undefined;
      await client.dispose().catch(() => undefined); // which ends the process, if it still runs
      await new Promise((resolve) => setTimeout(resolve, LAST_WORDS_MS));
      const { version } = this.extension.packageJSON as { version: string };
      const which = server.version === version ? "" : ` (this extension goes with ${version})`;
      this.become("failed", `The server ${server.version} (${server.command}) does not start: ${words.last || reasonOf(message)}${which}`);
      void this.tellTrouble();
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

  /**
   * Sends a custom request, once a server that starts has started; `undefined` when none runs.
   * Rejects when it answers an error.
   */
  async request<T>(method: string, params: object, token?: vscode.CancellationToken): Promise<T | undefined> {
    if (this.state === "starting" || this.queued) {
      await this.queue;
    }
    const client = this.client;
    if (!client || client.state !== State.Running || token?.isCancellationRequested) {
      return undefined;
    }
    try {
      return await (token ? client.sendRequest<T>(method, params, token) : client.sendRequest<T>(method, params));
    } catch (error) {
      const isUnknown = error instanceof ResponseError && error.code === ErrorCodes.MethodNotFound;
      throw isUnknown ? new Error(`The server ${this.server?.version ?? ""} does not know this request: it is older than the extension. Update it with Surveyor: Install Server…`) : error;
    }
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
      showsStatus: true,
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

  private options(output: vscode.OutputChannel): LanguageClientOptions {
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
      outputChannel: output,
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

  /** Starts the server again when it has ended by itself; one that never ran is `start`'s to tell of. */
  private afterCrash(): { action: CloseAction; handled: boolean } {
    if (this.wasRunning && this.state === "running") {
      const now = Date.now();
      this.crashes = [...this.crashes.filter((time) => now - time < CRASH_WINDOW_MS), now];
      this.status = undefined;
      if (this.crashes.length < MOST_CRASHES) {
        this.channels.client.warn(`The server ended (${this.crashes.length})`);
        this.become("starting");
        void this.restart("it ended by itself");
      } else {
        this.crashes = [];
        this.become("failed", `The server ended ${MOST_CRASHES} times in ${CRASH_WINDOW_MS / 60_000} minutes`);
        void this.tellTrouble();
      }
    }
    return { action: CloseAction.DoNotRestart, handled: true };
  }

  private receive(status: StatusAnswer): void {
    this.status = status;
    this.statusEmitter.fire(status);
  }

  private become(state: ServerState, trouble = ""): void {
    this.state = state;
    this.trouble = trouble;
    void vscode.commands.executeCommand("setContext", `${SECTION}.serverState`, state);
    if (state === "running") {
      void this.complaint.takeBack();
    }
    this.stateEmitter.fire();
  }

  /** Tells once why there is no server, with the ways on. */
  private async tellTrouble(): Promise<void> {
    const ways = waysOn(this);
    const places = this.state === "missing" && !settings.serverPath() ? ` (looked at ${counted(this.lookedAt.length, "place")})` : "";
    const chosen = await this.complaint.tell(`Surveyor: ${this.trouble}${places}.`, ...ways.map((way) => way.label));
    await ways.find((way) => way.label === chosen)?.run();
  }

  /** Shows the log that says most about the trouble: the server's own, if there has been a server. */
  showLog(): void {
    (this.state === "missing" ? this.channels.client : this.channels.server).show();
  }

  async install(): Promise<void> {
    const { extensionPath, packageJSON } = this.extension;
    if (await installServer(this.channels.client, extensionPath, String((packageJSON as { version?: string }).version))) {
      if (!this.wasRunning) {
        await forgetServerPath();
      }
      await this.restart("the server was installed");
    }
  }
}
