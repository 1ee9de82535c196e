/** Owns reading the extension's settings; names and defaults are package.json's. */

import { homedir } from "node:os";
import * as vscode from "vscode";
import type { ModeSetting } from "./companion";
import { expandPath, type ImportStrategy } from "./discovery";
import type { SearchMode } from "./generated/enumerations";

export const SECTION = "surveyor";

function read<T>(name: string, fallback: T, scope?: vscode.ConfigurationScope): T {
  return vscode.workspace.getConfiguration(SECTION, scope ?? null).get<T>(name, fallback);
}

function path(name: string): string {
  return expandPath(read(name, ""), homedir(), vscode.workspace.workspaceFolders?.[0]?.uri.fsPath);
}

export const settings = {
  serverPath: (): string => path("server.path"),
  serverPackage: (): string => path("server.package"),
  interpreter: (): string => path("interpreter"),
  logFile: (): string => path("logFile"),
  logLevel: (): string => read("logLevel", "info"),
  importStrategy: (): ImportStrategy => read<ImportStrategy>("importStrategy", "fromEnvironment"),
  mode: (languageId: string): ModeSetting => read<ModeSetting>("mode", "auto", { languageId }),
  searchMode: (): SearchMode => read<SearchMode>("search.mode", "hybrid"),
  searchLimit: (): number => read("search.limit", 30),
  searchPreview: (): boolean => read("search.preview", true),
  searchHistory: (): number => read("search.history", 30),
  mcpEnabled: (): boolean => read("mcp.enabled", true),
};

/** Settings that only a new server process sees; the rest reach the running one. */
export const RESTARTING = [
  "server.path",
  "interpreter",
  "importStrategy",
  "logLevel",
  "logFile",
].map((name) => `${SECTION}.${name}`);
