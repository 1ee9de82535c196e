/** Owns what a command says where it fails, or needs the server and there is none, and the ways on. */

import * as vscode from "vscode";
import type { ServerController } from "./client";
import { setServerPath } from "./serverPath";

export interface Way {
  /** On a button of a message. */
  label: string;
  /** In a list. */
  title: string;
  icon: string;
  run: () => unknown;
}

/** How another server is had where there is none that can be used. */
export function remedies(controller: ServerController): Way[] {
  return controller.state === "missing" || (controller.state === "failed" && !controller.wasRunning)
    ? [
        { label: "Install…", title: "Install the server…", icon: "cloud-download", run: () => controller.install() },
        { label: "Set Path…", title: "Set the server's path…", icon: "folder-opened", run: () => setServerPath(controller) },
      ]
    : [];
}

/** What can be done about a server that does not run; nothing while it starts, or runs. */
export function waysOn(controller: ServerController): Way[] {
  const again: Way = { label: "Restart", title: "Restart the server", icon: "debug-restart", run: () => controller.restart("asked for") };
  const log: Way = { label: "Show Log", title: "Show the log", icon: "output", run: () => controller.showLog() };
  switch (controller.state) {
    case "missing":
      return [...remedies(controller), log];
    case "failed":
      return [...remedies(controller), again, log];
    default:
      return [];
  }
}

/** Why there is no answer, in a sentence. */
export function whyNoServer(controller: ServerController): string {
  return controller.trouble || (controller.state === "starting" ? "The server is starting" : "The server is not running");
}

/** Says that a command needs the server, with the ways on; `consequence` is a sentence more. */
export async function sayNoServer(controller: ServerController, consequence = ""): Promise<void> {
  const ways = waysOn(controller);
  const message = `Surveyor: ${whyNoServer(controller)}.${consequence && ` ${consequence}`}`;
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
