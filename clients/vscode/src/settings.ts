/** Owns reading the extension's settings; names and defaults are package.json's. */

import { homedir } from "node:os";
import * as vscode from "vscode";
import type { ModeSetting } from "./companion";
import { expandPath, type ImportStrategy } from "./discovery";
import { MODES, type SearchMode } from "./generated/enumerations";

export const SECTION = "surveyor";

/** A repository's settings may hold anything: what has another type than the default counts as not set. */
function read<T>(name: string, fallback: T, scope?: vscode.ConfigurationScope): T {
  const value: unknown = vscode.workspace.getConfiguration(SECTION, scope ?? null).get(name);
  return typeof value === typeof fallback ? (value as T) : fallback;
}

function oneOf<T extends string>(name: string, allowed: readonly T[], fallback: T, scope?: vscode.ConfigurationScope): T {
  return allowed.find((each) => each === read<string>(name, fallback, scope)) ?? fallback;
}

function within(name: string, least: number, most: number, fallback: number): number {
  const value = Math.trunc(read(name, fallback));
  return Number.isNaN(value) ? fallback : Math.min(most, Math.max(least, value));
}

function path(name: string): string {
  return expandPath(read(name, ""), homedir(), vscode.workspace.workspaceFolders?.[0]?.uri.fsPath);
}

export const settings = {
  serverPath: (): string => path("server.path"),
  serverPackage: (): string => path("server.package"),
  interpreter: (): string => path("interpreter"),
  logFile: (): string => path("logFile"),
  logLevel: (): string => oneOf("logLevel", ["error", "warning", "info", "debug"], "info"),
  importStrategy: (): ImportStrategy => oneOf("importStrategy", ["fromEnvironment", "useManaged"], "fromEnvironment"),
  mode: (languageId: string): ModeSetting => oneOf("mode", ["auto", "proxy", "companion", "full"], "auto", { languageId }),
  searchMode: (): SearchMode => oneOf("search.mode", MODES, "hybrid"),
  searchLimit: (): number => within("search.limit", 1, 200, 30),
  searchPreview: (): boolean => read("search.preview", true),
  searchHistory: (): number => within("search.history", 0, 500, 30),
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
