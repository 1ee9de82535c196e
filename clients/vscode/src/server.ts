/** Owns finding a server that runs: discovery's candidates, tried in order with `--version`. */

import { existsSync } from "node:fs";
import { homedir } from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";
import { dataFolder, executableName, findCandidates, type Source } from "./discovery";
import { versionOf } from "./identity";
import { settings } from "./settings";

export type ServerState = "stopped" | "starting" | "running" | "missing" | "failed";

export interface Server {
  command: string;
  source: Source;
  version: string;
}

export type Found = { server: Server; missing: string[] } | { server: undefined; missing: string[] };

/** The folder of the environment that the extension makes; `surveyor uninstall` removes it. */
export function managedFolder(): string {
  return path.join(dataFolder(process.env, homedir(), process.platform), "environments", "editor");
}

export function managedExecutable(): string {
  const bin = process.platform === "win32" ? "Scripts" : "bin";
  return path.join(managedFolder(), bin, executableName(process.platform));
}

interface PythonApi {
  environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string } | undefined;
    onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

async function pythonApi(): Promise<PythonApi | undefined> {
  const extension = vscode.extensions.getExtension<PythonApi>("ms-python.python");
  if (!extension) {
    return undefined;
  }
  try {
    return await extension.activate();
  } catch {
    return undefined; // its own trouble, which it reports itself
  }
}

/** Tells when the Python extension's interpreter changes; nothing without that extension. */
export async function onInterpreterChange(listener: () => void): Promise<vscode.Disposable> {
  const api = await pythonApi();
  return api?.environments?.onDidChangeActiveEnvironmentPath(listener) ?? new vscode.Disposable(() => undefined);
}

/** The configured interpreter, the Python extension's, then each folder's own environment. */
export async function interpreters(): Promise<string[]> {
  const found: string[] = [];
  if (settings.interpreter()) {
    found.push(settings.interpreter());
  }
  if (!vscode.workspace.isTrusted) {
    return found;
  }
  const folders = vscode.workspace.workspaceFolders ?? [];
  const api = await pythonApi();
  for (const folder of folders) {
    const active = api?.environments?.getActiveEnvironmentPath(folder.uri)?.path;
    if (active && path.isAbsolute(active)) {
      found.push(active);
    }
  }
  const python = process.platform === "win32" ? ["Scripts", "python.exe"] : ["bin", "python"];
  for (const folder of folders) {
    found.push(...[".venv", "venv"].map((name) => path.join(folder.uri.fsPath, name, ...python)));
  }
  return found;
}

/** The first candidate that runs. */
export async function findServer(log: vscode.LogOutputChannel): Promise<Found> {
  const { candidates, missing } = findCandidates({
    trusted: vscode.workspace.isTrusted,
    importStrategy: settings.importStrategy(),
    configuredPath: settings.serverPath(),
    interpreters: await interpreters(),
    pathFolders: (process.env["PATH"] ?? "").split(path.delimiter).filter(Boolean),
    home: homedir(),
    workspaceFolders: (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath),
    managed: managedExecutable(),
    platform: process.platform,
    exists: existsSync,
  });
  for (const candidate of candidates) {
    try {
      const version = await versionOf(candidate.command);
      log.info(`Server ${version} from ${candidate.source}: ${candidate.command}`);
      return { server: { ...candidate, version }, missing };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      missing.push(`${candidate.source}: ${message}`);
      log.warn(message);
    }
  }
  log.warn(`No server found. Looked at: ${missing.join("; ")}`);
  return { server: undefined, missing };
}
