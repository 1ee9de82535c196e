/** Owns what a command says where it fails, or needs the server and there is none, and the ways on. */

import * as vscode from "vscode";
import type { ServerState } from "./server";
import { setServerPath } from "./serverPath";

/** What is asked of whoever starts and stops the server. */
export interface ServerKeeper {
  readonly state: ServerState;
  /** Why the server is missing or failed; empty while it is neither. */
  readonly trouble: string;
  /** Whether the server that is there now, or was last, has ever answered. */
  readonly wasRunning: boolean;
  install(): Promise<void>;
  restart(reason: string): Promise<void>;
  showLog(): void;
}

export interface Way {
  /** On a button of a message. */
  label: string;
  /** In a list. */
  title: string;
  icon: string;
  run: () => unknown;
}

/** How another server is had where there is none that can be used. */
export function remedies(keeper: ServerKeeper): Way[] {
  return keeper.state === "missing" || (keeper.state === "failed" && !keeper.wasRunning)
    ? [
        { label: "Install…", title: "Install the server…", icon: "cloud-download", run: () => keeper.install() },
        { label: "Set Path…", title: "Set the server's path…", icon: "folder-opened", run: () => setServerPath((reason) => keeper.restart(reason)) },
      ]
    : [];
}

/** What can be done about a server that does not run; nothing while it starts, or runs. */
export function waysOn(keeper: ServerKeeper): Way[] {
  const again: Way = { label: "Restart", title: "Restart the server", icon: "debug-restart", run: () => keeper.restart("asked for") };
  const log: Way = { label: "Show Log", title: "Show the log", icon: "output", run: () => keeper.showLog() };
  switch (keeper.state) {
    case "missing":
      return [...remedies(keeper), log];
    case "failed":
      return [...remedies(keeper), again, log];
    default:
      return [];
  }
}

/** Why there is no answer, in a sentence. */
export function whyNoServer(keeper: ServerKeeper): string {
  return keeper.trouble || (keeper.state === "starting" ? "The server is starting" : "The server is not running");
}

/** Says that a command needs the server, with the ways on; `consequence` is a sentence more. */
export async function sayNoServer(keeper: ServerKeeper, consequence = ""): Promise<void> {
  const ways = waysOn(keeper);
  const message = `Surveyor: ${whyNoServer(keeper)}.${consequence && ` ${consequence}`}`;
  const chosen = await vscode.window.showWarningMessage(message, ...ways.map((way) => way.label));
  await ways.find((way) => way.label === chosen)?.run();
}

/** Says why a command failed. */
export function sayFailed(error: unknown): void {
  if (!(error instanceof vscode.CancellationError)) {
    const message = error instanceof Error ? error.message : String(error);
    // Lines after the first are hints for somebody at a terminal.
    void vscode.window.showWarningMessage(`Surveyor: ${message.split("\n")[0]}`);
  }
}
