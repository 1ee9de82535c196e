/** Owns the managed environment: made and filled with the user's consent, never otherwise. */

import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import * as path from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { DISTRIBUTION, readServerPackage, type ServerPackage } from "./discovery";
import { versionOf } from "./identity";
import { failureOf, unreachable } from "./pipFailure";
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

/** Lines of a step's output that are looked at when it fails. */
const MOST_LINES = 200;

/** Runs a program; `said` hears its lines. Rejects with why it failed. */
function step(
  { program, args }: Step,
  requirement: string,
  log: vscode.LogOutputChannel,
  token: vscode.CancellationToken,
  said: (lines: readonly string[]) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    log.info(`$ ${program} ${args.join(" ")}`);
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    const tail: string[] = [];
    const note = (data: Buffer): void => {
      for (const line of data.toString().split(/\r?\n/).filter(Boolean)) {
        log.info(line);
        tail.push(line);
      }
      tail.splice(0, tail.length - MOST_LINES);
      said(tail);
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
        reject(new Error(failureOf(tail, requirement) ?? `${program} ended with ${code}`));
      }
    });
  });
}

/** The folders of this window that hold Surveyor's source. */
async function sourceFolders(): Promise<string[]> {
  const found: string[] = [];
  for (const { uri } of vscode.workspace.isTrusted ? (vscode.workspace.workspaceFolders ?? []) : []) {
    const text = await readFile(path.join(uri.fsPath, "pyproject.toml"), "utf8").catch(() => "");
    if (new RegExp(`^name\\s*=\\s*"${DISTRIBUTION}"`, "m").test(text)) {
      found.push(uri.fsPath);
    }
  }
  return found;
}

/** A wheel of the server that was packed into the extension, whose folder is another after each update. */
async function packedWheel(extensionPath: string): Promise<string | undefined> {
  const folder = path.join(extensionPath, "server");
  const wheel = (await readdir(folder).catch(() => [])).find((name) => name.endsWith(".whl"));
  return wheel && path.join(folder, wheel);
}

interface Origin extends vscode.QuickPickItem {
  ask: () => Thenable<string | undefined>;
}

/** Where the server can come from, the simplest first. */
async function origins(extensionPath: string, version: string): Promise<Origin[]> {
  const pick = async (options: vscode.OpenDialogOptions): Promise<string | undefined> =>
    (await vscode.window.showOpenDialog({ ...options, openLabel: "Choose", canSelectMany: false }))?.[0]?.fsPath;
  const released = `${DISTRIBUTION}==${version}`;
  const packed = await packedWheel(extensionPath);
  return [
    {
      label: "$(package) From PyPI",
      description: released,
      detail: "The release that belongs to this extension, from the package index that pip is set up for",
      ask: async () => released,
    },
    ...(packed
      ? [
          {
            label: "$(archive) From this extension",
            description: path.basename(packed),
            detail: "The wheel that was packed into it; what it needs comes from the package index",
            ask: async (): Promise<string | undefined> => packed,
          },
        ]
      : []),
    ...(await sourceFolders()).map((folder) => ({
      label: `$(root-folder) ${folder}`,
      description: "this window's folder",
      ask: async (): Promise<string | undefined> => folder,
    })),
    {
      label: "$(folder) A folder with Surveyor's source…",
      description: "a clone of its repository",
      ask: () => pick({ title: "Folder with Surveyor's source", canSelectFolders: true, canSelectFiles: false }),
    },
    {
      label: "$(file-zip) A wheel…",
      description: "a file that ends in .whl",
      ask: () => pick({ title: "Surveyor's wheel", filters: { Wheels: ["whl"] } }),
    },
    {
      label: "$(tag) Another version…",
      description: "name==version",
      ask: () =>
        vscode.window.showInputBox({
          title: "Install Surveyor's Server",
          prompt: "Name and version, as in name==1.2.3",
          value: released,
          ignoreFocusOut: true,
          validateInput: (value) => complaint(value),
        }),
    },
  ];
}

/** Asks where the server comes from. */
async function choosePackage(extensionPath: string, version: string): Promise<string | undefined> {
  const chosen = await vscode.window.showQuickPick(origins(extensionPath, version), {
    title: "Install Surveyor's Server",
    placeHolder: "Where does it come from?",
    ignoreFocusOut: true,
  });
  return chosen?.ask();
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

/** What to install: the value, or what is chosen where it is of no use. */
async function wantedPackage(
  value: string | undefined,
  choose: () => Promise<string | undefined>,
): Promise<ServerPackage | undefined> {
  for (;;) {
    if (!value) {
      return undefined;
    }
    const wrong = complaint(value);
    if (!wrong) {
      return readServerPackage(value, existsSync);
    }
    const again = "Choose…";
    value = (await vscode.window.showErrorMessage(wrong, again)) === again ? await choose() : undefined;
  }
}

/** Shows the commands, asks, installs. True when a server is there afterwards. */
export async function installServer(log: vscode.LogOutputChannel, extensionPath: string, version: string): Promise<boolean> {
  const choose = (): Promise<string | undefined> => choosePackage(extensionPath, version);
  let wanted = await wantedPackage(settings.serverPackage() || (await choose()), choose);
  const python = wanted && (await findPython(log));
  if (wanted && !python) {
    void vscode.window.showErrorMessage(
      `Surveyor needs Python ${OLDEST_PYTHON.join(".")} or newer with venv and pip. Install one, or name it in surveyor.interpreter.`,
    );
  }
  while (wanted && python && (await isWanted(python, wanted))) {
    const problem = await fill(python, wanted, log);
    if (problem === undefined) {
      if (wanted.requirement !== (await packedWheel(extensionPath))) {
        await keep(wanted.requirement);
      }
      return true;
    }
    const another = "Another Source…";
    const show = "Show Log";
    const answer = problem && (await vscode.window.showErrorMessage(`Surveyor was not installed: ${problem}`, another, show));
    if (answer === show) {
      log.show();
    }
    wanted = answer === another ? await wantedPackage(await choose(), choose) : undefined;
  }
  return false;
}

/** Keeps what was installed, so that it is asked once. */
async function keep(requirement: string): Promise<void> {
  if (requirement !== settings.serverPackage()) {
    const section = vscode.workspace.getConfiguration(SECTION);
    await section.update("server.package", requirement, vscode.ConfigurationTarget.Global);
  }
}

interface Step {
  program: string;
  args: string[];
}

function commands(python: string, wanted: ServerPackage): Step[] {
  const name = process.platform === "win32" ? "python.exe" : "python";
  return [
    { program: python, args: ["-m", "venv", "--clear", managedFolder()] },
    {
      program: path.join(path.dirname(managedExecutable()), name),
      args: ["-m", "pip", "install", "--disable-pip-version-check", wanted.requirement],
    },
  ];
}

async function isWanted(python: string, wanted: ServerPackage): Promise<boolean> {
  const install = "Install";
  const detail = commands(python, wanted).map(({ program, args }) => `${program} ${args.join(" ")}`);
  const answer = await vscode.window.showInformationMessage(
    "Install the Surveyor server into an environment of its own?",
    { modal: true, detail: detail.join("\n") },
    install,
  );
  return answer === install;
}

/** Makes and fills the environment. Returns what went wrong, empty when it was cancelled. */
async function fill(python: string, wanted: ServerPackage, log: vscode.LogOutputChannel): Promise<string | undefined> {
  const folder = managedFolder();
  try {
    await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: "Installing Surveyor", cancellable: true },
      async (progress, token) => {
        await mkdir(path.dirname(folder), { recursive: true });
        const messages = ["making the environment", wanted.requirement];
        for (const [index, each] of commands(python, wanted).entries()) {
          const usual = messages[index] ?? "";
          let shown = "";
          const show = (message: string): void => {
            if (message !== shown) {
              progress.report({ message: (shown = message) });
            }
          };
          show(usual);
          await step(each, wanted.requirement, log, token, (lines) => {
            const trouble = unreachable(lines.slice(-1));
            show(trouble ? `${trouble}; trying again` : usual);
          });
        }
      },
    );
    // A package index may have something else by that name.
    await versionOf(managedExecutable());
    return undefined;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    return error instanceof vscode.CancellationError ? "" : error instanceof Error ? error.message : String(error);
  }
}
