/** Owns sending a search for the right folders, and the history of queries. */

import * as vscode from "vscode";
import type { ServerController } from "./client";
import type { SearchAnswer, SearchParams } from "./protocol";
import { parseQuery } from "./query";
import { settings } from "./settings";

const HISTORY_KEY = "surveyor.history";

export interface Outcome extends SearchAnswer {
  problems: string[];
}

export class Searcher {
  constructor(
    readonly controller: ServerController,
    private readonly memento: vscode.Memento,
  ) {}

  /**
   * Searches the project that `scope` lies in, or all folders of the window where none is given;
   * `undefined` when no server runs or there is nothing to ask.
   */
  async search(
    text: string,
    scope: vscode.Uri | undefined,
    token?: vscode.CancellationToken,
    report?: (message: string) => void,
    page?: Pick<SearchParams, "limit" | "offset">,
  ): Promise<Outcome | undefined> {
    const mode = settings.searchMode();
    const { params, problems } = parseQuery(text, mode);
    if (params.query.trim() === "") {
      return undefined;
    }
    const request: SearchParams = { mode, ...params, limit: settings.searchLimit(), ...page };
    if (scope) {
      request.uri = scope.toString();
    }
    const answer = await (report && token
      ? this.controller.requestReporting<SearchAnswer>("surveyor/search", request, report, token)
      : this.controller.request<SearchAnswer>("surveyor/search", request, token));
    return answer && { ...answer, problems };
  }

  /**
   * As `search`; a pattern, for which every file may have to be read, shows in a notification how
   * far it is, where it can be cancelled. `report` hears the same.
   */
  async searchShown(
    text: string,
    scope: vscode.Uri | undefined,
    report: (message: string) => void,
    page?: Pick<SearchParams, "limit" | "offset">,
  ): Promise<Outcome | undefined> {
    const usual = settings.searchMode();
    if ((parseQuery(text, usual).params.mode ?? usual) !== "pattern") {
      return this.search(text, scope, undefined, undefined, page);
    }
    return vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: `Surveyor: ${text}`, cancellable: true },
      async (progress, token) => {
        try {
          return await this.search(text, scope, token, (message) => {
            progress.report({ message });
            report(message);
          }, page);
        } catch (error) {
          throw token.isCancellationRequested ? new Error("cancelled") : error;
        }
      },
    );
  }

  get history(): readonly string[] {
    return this.memento.get<string[]>(HISTORY_KEY, []);
  }

  /** Puts a query that led somewhere at the top of the history. */
  async remember(text: string): Promise<void> {
    const kept = settings.searchHistory();
    const query = text.trim();
    if (query !== "") {
      const entries = [query, ...this.history.filter((other) => other !== query)];
      await this.memento.update(HISTORY_KEY, entries.slice(0, kept));
    }
  }

  async forgetHistory(): Promise<void> {
    await this.memento.update(HISTORY_KEY, undefined);
  }
}

/** The scope of a search that is to cover the whole window: without a folder, the open file's project. */
export function wholeWindow(file = vscode.window.activeTextEditor?.document.uri): vscode.Uri | undefined {
  const [folder, ...others] = vscode.workspace.workspaceFolders ?? [];
  if (folder) {
    return others.length === 0 ? folder.uri : undefined;
  }
  return file?.scheme === "file" ? file : undefined;
}
