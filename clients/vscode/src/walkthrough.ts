/** Owns the walkthrough: opening it, and ticking its first step when a server runs. */

import * as vscode from "vscode";
import type { ServerController } from "./client";

const SERVER_WAS_FOUND = "surveyor.serverWasFound";

/** When to tick after a page was opened: the editor reads the walkthrough in its own time. */
const TICKS_AFTER_MS = [0, 1000, 3000, 10_000];

/**
 * VS Code ticks a step when its context key becomes true, and never one whose key was true when
 * the walkthrough was first read, which may be late: the key is true for a moment only, whenever
 * a server starts to run and after a page has opened that may be the walkthrough.
 */
async function tick(controller: ServerController): Promise<void> {
  if (controller.state === "running") {
    await vscode.commands.executeCommand("setContext", SERVER_WAS_FOUND, true);
    await vscode.commands.executeCommand("setContext", SERVER_WAS_FOUND, undefined);
  }
}

function tickSoon(controller: ServerController): void {
  for (const delay of TICKS_AFTER_MS) {
    setTimeout(() => void tick(controller), delay);
  }
}

export function tickWhenFound(controller: ServerController): vscode.Disposable {
  // Pages of the editor's own, as the walkthrough is, have no input that extensions know.
  const isPage = (tab: vscode.Tab): boolean => tab.input === undefined;
  return vscode.Disposable.from(
    controller.onDidChangeState(() => void tick(controller)),
    vscode.window.tabGroups.onDidChangeTabs(({ opened, changed }) => {
      if ([...opened, ...changed].some(isPage)) {
        tickSoon(controller);
      }
    }),
  );
}

export async function openWalkthrough(controller: ServerController): Promise<void> {
  await vscode.commands.executeCommand("workbench.action.openWalkthrough", "surveyor.surveyor#surveyor.start", false);
  tickSoon(controller);
}
