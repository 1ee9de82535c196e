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
    private readonly controller: ServerController,
    private readonly memento: vscode.Memento,
  ) {}

  /**
   * Searches the folder of the active editor, or all folders of the window; `undefined` when
   * no server runs or there is nothing to ask.
   */
  async search(text: string, allFolders: boolean, token?: vscode.CancellationToken): Promise<Outcome | undefined> {
    const { params, problems } = parseQuery(text);
    if (params.query.trim() === "") {
      return undefined;
    }
    const limit = settings.searchLimit();
    const ask = (uri: vscode.Uri | undefined): Promise<SearchAnswer | undefined> => {
      const request: SearchParams = { mode: settings.searchMode(), ...params, limit };
      if (uri) {
        request.uri = uri.toString();
      }
      return this.controller.request<SearchAnswer>("surveyor/search", request, token);
    };
    const folders = this.folders(allFolders);
    const answers = (await Promise.all(folders.map(ask))).filter((answer) => answer !== undefined);
    const [first, ...others] = answers;
    if (!first) {
      return undefined;
    }
    if (others.length === 0) {
      return { ...first, problems };
    }
    // Two folders may belong to one project, which then answers twice.
    const seen = new Set<string>();
    const results = answers
      .flatMap((answer) => answer.results)
      .sort((a, b) => b.score - a.score)
      .filter((hit) => {
        const key = `${hit.uri}#${hit.startLine}-${hit.endLine}#${hit.id}`;
        return !seen.has(key) && seen.add(key);
      })
      .slice(0, limit);
    return {
      ...first,
      results,
      status: answers.find((answer) => answer.status !== "healthy")?.status ?? "healthy",
      filesBehind: answers.reduce((sum, answer) => sum + answer.filesBehind, 0),
      tookMs: Math.max(...answers.map((answer) => answer.tookMs)),
      problems,
    };
  }

  private folders(all: boolean): (vscode.Uri | undefined)[] {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const active = vscode.window.activeTextEditor?.document.uri;
    const current = active && vscode.workspace.getWorkspaceFolder(active);
    if (all && folders.length > 1) {
      return folders.map((folder) => folder.uri);
    }
    return [current?.uri ?? folders[0]?.uri ?? (active?.scheme === "file" ? active : undefined)];
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
