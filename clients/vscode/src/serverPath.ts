/** Owns asking for the server's path: it is tried before it is written, and written where it counts. */

import { homedir } from "node:os";
import * as vscode from "vscode";
import { expandPath } from "./discovery";
import { NotSurveyorError, pastedPath, serverAt } from "./identity";
import { SECTION } from "./settings";

const SETTING = "server.path";

/** Asks until a path is given where a server runs, or the box is closed; `restart` is called where no changed setting does it. */
export async function setServerPath(restart: (reason: string) => Promise<void>): Promise<void> {
  const box = vscode.window.createInputBox();
  const choose: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("folder-opened"), tooltip: "Choose a File…" };
  const forget: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("discard"), tooltip: "Forget the Path and Look for the Server" };
  const before = read();
  box.title = "Path of Surveyor's Server";
  box.placeholder = "/path/to/surveyor";
  box.prompt = "Paste the path of the surveyor command and press Enter; with nothing in the box, Enter chooses a file";
  box.value = before;
  box.buttons = before ? [forget, choose] : [choose];
  box.ignoreFocusOut = true; // the path is copied from elsewhere

  let tried = before;
  let isBrowsing = false;
  const take = async (given: string): Promise<void> => {
    tried = given;
    const wanted = expandPath(pastedPath(given), homedir(), vscode.workspace.workspaceFolders?.[0]?.uri.fsPath);
    box.value = given;
    box.enabled = false;
    box.busy = true;
    box.validationMessage = { message: `Trying ${wanted}…`, severity: vscode.InputBoxValidationSeverity.Info };
    try {
      const { command, version } = await serverAt(wanted);
      await write(command);
      box.hide();
      vscode.window.setStatusBarMessage(`Surveyor: ${version} is started from ${command}`, 5000);
      if (command === before) {
        await restart("the path was set again"); // a changed setting restarts it by itself
      }
    } catch (error) {
      if (!(error instanceof NotSurveyorError)) {
        throw error;
      }
      box.validationMessage = {
        message: `${error.message}. Choose the surveyor command, or install it with Surveyor: Install Server…`,
        severity: vscode.InputBoxValidationSeverity.Error,
      };
    } finally {
      box.enabled = true;
      box.busy = false;
    }
  };
  const browse = async (): Promise<void> => {
    isBrowsing = true;
    const [file] = (await vscode.window.showOpenDialog({ title: "Surveyor's server: the surveyor command", openLabel: "Choose" })) ?? [];
    isBrowsing = false;
    box.show(); // the dialog has taken its place
    if (file) {
      await take(file.fsPath);
    }
  };
  box.onDidHide(() => isBrowsing || box.dispose());
  box.onDidChangeValue((value) => {
    if (value !== tried) {
      box.validationMessage = undefined;
    }
  });
  box.onDidAccept(() => (box.value.trim() === "" ? browse() : take(box.value)));
  box.onDidTriggerButton(async (button) => {
    if (button === choose) {
      await browse();
    } else {
      await write(undefined);
      box.hide();
    }
  });
  box.show();
}

function read(): string {
  return vscode.workspace.getConfiguration(SECTION).get<string>(SETTING, "");
}

/** A path where no server runs must not hide one that was installed since. */
export async function forgetServerPath(): Promise<void> {
  if (read()) {
    await write(undefined);
  }
}

/**
 * Writes the path where it counts: over the workspace's own, which wins; else for the machine that
 * the server runs on, in a remote window as well (VS Code finds that file by the setting's scope).
 */
async function write(path: string | undefined): Promise<void> {
  const known = vscode.workspace.getConfiguration(SECTION).inspect<string>(SETTING);
  const isWorkspaces = vscode.workspace.isTrusted && known?.workspaceValue !== undefined;
  const target = isWorkspaces ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  await vscode.workspace.getConfiguration(SECTION).update(SETTING, path, target);
}
