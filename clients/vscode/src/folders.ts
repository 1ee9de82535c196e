/** Owns telling which folder of the window a question is about. */

import * as vscode from "vscode";

/**
 * The document or folder that says which project is meant: the active file, else the only folder,
 * else the one that the user chooses. Undefined where none is open, null where none was chosen.
 */
export async function subjectOfWindow(placeHolder: string): Promise<string | undefined | null> {
  const active = vscode.window.activeTextEditor?.document.uri;
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (active?.scheme === "file" && (folders.length === 0 || vscode.workspace.getWorkspaceFolder(active))) {
    return active.toString();
  }
  if (folders.length <= 1) {
    return folders[0]?.uri.toString();
  }
  return (await vscode.window.showWorkspaceFolderPick({ placeHolder }))?.uri.toString() ?? null;
}
