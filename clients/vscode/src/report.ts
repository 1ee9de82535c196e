/** Owns the support report: versions, states and settings, with no code and no secrets in it. */

import * as vscode from "vscode";
import type { ServerController } from "./client";
import { SECTION } from "./settings";

export function reportText(controller: ServerController, extensionVersion: string): string {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const anonymous = (text: string): string => {
    const home = process.env["HOME"] ?? process.env["USERPROFILE"];
    return home ? text.replaceAll(home, "~") : text;
  };
  const report = {
    editor: `${vscode.env.appName} ${vscode.version}`,
    host: vscode.env.appHost,
    remote: vscode.env.remoteName ?? "none",
    platform: `${process.platform} ${process.arch}`,
    extension: extensionVersion,
    server: controller.server ?? "none",
    state: controller.state,
    trouble: controller.trouble,
    trusted: vscode.workspace.isTrusted,
    folders: folders.length,
    modes: controller.modes(),
    status: controller.status ?? "none",
    settings: vscode.workspace.getConfiguration(SECTION),
  };
  return anonymous(`${JSON.stringify(report, undefined, 2)}\n`);
}

export async function supportReport(controller: ServerController): Promise<void> {
  await controller.refreshStatus();
  const version = String(
    (vscode.extensions.getExtension("surveyor.surveyor")?.packageJSON as { version?: string } | undefined)?.version,
  );
  await vscode.env.clipboard.writeText(reportText(controller, version));
  void vscode.window.showInformationMessage("Surveyor's support report is in the clipboard.");
}
