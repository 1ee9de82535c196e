/** Owns offering `surveyor mcp` to the editor's agent mode, one server for each folder. */

import * as vscode from "vscode";
import type { ServerController } from "./client";
import { settings } from "./settings";

export const MCP_PROVIDER = "surveyor";

export class McpProvider implements vscode.McpServerDefinitionProvider<vscode.McpStdioServerDefinition>, vscode.Disposable {
  private readonly emitter = new vscode.EventEmitter<void>();
  readonly onDidChangeMcpServerDefinitions = this.emitter.event;
  private readonly listeners: vscode.Disposable[];
  private offered = "";

  constructor(private readonly controller: ServerController) {
    this.listeners = [
      vscode.lm.registerMcpServerDefinitionProvider(MCP_PROVIDER, this),
      controller.onDidChangeState(() => this.changed()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.changed()),
      vscode.workspace.onDidChangeConfiguration(() => this.changed()),
    ];
  }

  dispose(): void {
    for (const listener of [...this.listeners, this.emitter]) {
      listener.dispose();
    }
  }

  /** Announces the servers again when they are not the ones that were offered last. */
  changed(): void {
    const now = this.describe();
    if (now !== this.offered) {
      this.offered = now;
      this.emitter.fire();
    }
  }

  private describe(): string {
    return JSON.stringify(this.provideMcpServerDefinitions().map((d) => [d.label, d.command, d.args, d.version]));
  }

  provideMcpServerDefinitions(): vscode.McpStdioServerDefinition[] {
    const { server } = this.controller;
    if (!server || !settings.mcpEnabled()) {
      return [];
    }
    const folders = vscode.workspace.workspaceFolders ?? [];
    return folders
      .filter((folder) => folder.uri.scheme === "file")
      .map((folder) => {
        const label = folders.length > 1 ? `Surveyor (${folder.name})` : "Surveyor";
        const definition = new vscode.McpStdioServerDefinition(
          label,
          server.command,
          ["mcp", "--project", folder.uri.fsPath],
          {},
          server.version,
        );
        definition.cwd = folder.uri;
        return definition;
      });
  }
}
