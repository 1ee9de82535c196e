/** Owns the managed environment: made and filled with the user's consent, never otherwise. */

import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import * as path from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { readServerPackage, type ServerPackage } from "./discovery";
import { interpreters, managedExecutable, managedFolder } from "./server";
import { SECTION, settings } from "./settings";

const run = promisify(execFile);
const OLDEST_PYTHON = [3, 11] as const;

/** A Python that is new enough and can make environments. */
async function findPython(log: vscode.LogOutputChannel): Promise<string | undefined> {
  const names = process.platform === "win32" ? ["py", "python"] : ["python3", "python3.13", "python3.12", "python3.11"];
  for (const python of [...(await interpreters()).filter(existsSync), ...names]) {
    try {
      const { stdout } = await run(
        python,
        ["-c", "import sys, venv, ensurepip; print(sys.version_info[0], sys.version_info[1])"],
        { timeout: 15_000 },
      );
      const [major = 0, minor = 0] = stdout.trim().split(" ").map(Number);
      if (major > OLDEST_PYTHON[0] || (major === OLDEST_PYTHON[0] && minor >= OLDEST_PYTHON[1])) {
        return python;
      }
      log.info(`${python} is ${major}.${minor}: too old`);
    } catch (error) {
      log.debug(`${python}: ${String(error)}`);
    }
  }
  return undefined;
}

function step(
  command: string,
  args: string[],
  log: vscode.LogOutputChannel,
  token: vscode.CancellationToken,
): Promise<void> {
  return new Promise((resolve, reject) => {
    log.info(`$ ${command} ${args.join(" ")}`);
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
    const tail: string[] = [];
    const note = (data: Buffer): void => {
      for (const line of data.toString().split(/\r?\n/).filter(Boolean)) {
        log.info(line);
        tail.push(line);
      }
      tail.splice(0, tail.length - 5);
    };
    child.stdout.on("data", note);
    child.stderr.on("data", note);
    const cancelled = token.onCancellationRequested(() => child.kill());
    child.on("error", reject);
    child.on("close", (code) => {
      cancelled.dispose();
      if (token.isCancellationRequested) {
        reject(new vscode.CancellationError());
      } else if (code === 0) {
        resolve();
      } else {
        reject(new Error(tail.at(-1) ?? `${command} ended with ${code}`));
      }
    });
  });
}

/** The folders of this window that hold Surveyor's source. */
async function sourceFolders(): Promise<string[]> {
  const found: string[] = [];
  for (const { uri } of vscode.workspace.isTrusted ? (vscode.workspace.workspaceFolders ?? []) : []) {
    const text = await readFile(path.join(uri.fsPath, "pyproject.toml"), "utf8").catch(() => "");
    if (/^name\s*=\s*"surveyor"/m.test(text)) {
      found.push(uri.fsPath);
    }
  }
  return found;
}

/** Asks where the server comes from, and keeps the answer in `surveyor.server.package`. */
async function choosePackage(): Promise<string | undefined> {
  const pick = async (options: vscode.OpenDialogOptions): Promise<string | undefined> =>
    (await vscode.window.showOpenDialog({ ...options, openLabel: "Choose", canSelectMany: false }))?.[0]?.fsPath;
  const known = (await sourceFolders()).map((folder) => ({
    label: `$(root-folder) ${folder}`,
    description: "this window's folder",
    ask: async (): Promise<string | undefined> => folder,
  }));
  const chosen = await vscode.window.showQuickPick(
    [
      ...known,
      {
        label: "$(folder) A folder with Surveyor's source…",
        description: "a clone of its repository",
        ask: () => pick({ title: "Folder with Surveyor's source", canSelectFolders: true, canSelectFiles: false }),
      },
      {
        label: "$(package) A wheel…",
        description: "a file that ends in .whl",
        ask: () => pick({ title: "Surveyor's wheel", filters: { Wheels: ["whl"] } }),
      },
      {
        label: "$(tag) A pinned version…",
        description: "name==version, from the package index that pip is set up for",
        ask: () =>
          vscode.window.showInputBox({
            title: "Install Surveyor's Server",
            prompt: "Name and version, as in name==1.2.3",
            ignoreFocusOut: true,
            validateInput: (value) => complaint(value),
          }),
      },
    ],
    {
      title: "Install Surveyor's Server",
      placeHolder: "Where does it come from? The answer is kept in surveyor.server.package",
      ignoreFocusOut: true,
    },
  );
  const value = await chosen?.ask();
  if (value) {
    await vscode.workspace.getConfiguration(SECTION).update("server.package", value, vscode.ConfigurationTarget.Global);
  }
  return value;
}

/** What is wrong with a package; `undefined` when nothing is. */
function complaint(value: string): string | undefined {
  try {
    readServerPackage(value, existsSync);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** What to install: the setting, or what is chosen where it is empty or of no use. */
async function wantedPackage(): Promise<ServerPackage | undefined> {
  let value: string | undefined = settings.serverPackage() || (await choosePackage());
  for (;;) {
    if (!value) {
      return undefined;
    }
    const wrong = complaint(value);
    if (!wrong) {
      return readServerPackage(value, existsSync);
    }
    const choose = "Choose…";
    const open = "Open Settings";
    const answer = await vscode.window.showErrorMessage(wrong, choose, open);
    if (answer === open) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "surveyor.server.package");
    }
    value = answer === choose ? await choosePackage() : undefined;
  }
}

/** Shows the commands, asks, installs. True when a server is there afterwards. */
export async function installServer(log: vscode.LogOutputChannel): Promise<boolean> {
  const wanted = await wantedPackage();
  if (!wanted) {
    return false;
  }
  const python = await findPython(log);
  if (!python) {
    void vscode.window.showErrorMessage(
      `Surveyor needs Python ${OLDEST_PYTHON.join(".")} or newer with venv and pip. Install one, or name it in surveyor.interpreter.`,
    );
    return false;
  }
  const folder = managedFolder();
  const environmentPython = path.join(path.dirname(managedExecutable()), process.platform === "win32" ? "python.exe" : "python");
  const make = ["-m", "venv", "--clear", folder];
  const fill = ["-m", "pip", "install", "--disable-pip-version-check", wanted.requirement];
  const install = "Install";
  const answer = await vscode.window.showInformationMessage(
    "Install the Surveyor server into an environment of its own?",
    { modal: true, detail: `${python} ${make.join(" ")}\n${environmentPython} ${fill.join(" ")}` },
    install,
  );
  if (answer !== install) {
    return false;
  }
  try {
    await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: "Installing Surveyor", cancellable: true },
      async (progress, token) => {
        await mkdir(path.dirname(folder), { recursive: true });
        progress.report({ message: "making the environment" });
        await step(python, make, log, token);
        progress.report({ message: wanted.requirement });
        await step(environmentPython, fill, log, token);
      },
    );
    return existsSync(managedExecutable());
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (!(error instanceof vscode.CancellationError)) {
      const show = "Show Log";
      const message = error instanceof Error ? error.message : String(error);
      void vscode.window.showErrorMessage(`Surveyor was not installed: ${message}`, show).then((chosen) => {
        if (chosen === show) {
          log.show();
        }
      });
    }
    return false;
  }
}
