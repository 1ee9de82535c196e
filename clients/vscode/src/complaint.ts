/** Owns the one message about the server that is on the screen: told once, and not left standing. */

import * as vscode from "vscode";

export class Complaint {
  /** What was told last, still holds, and has not been answered. */
  private told = "";
  /** Messages that nobody has answered. */
  private open = 0;

  /** Shows a message with buttons, in place of the one before, and returns the button that was taken. */
  async tell(message: string, ...buttons: string[]): Promise<string | undefined> {
    if (message === this.told) {
      return undefined;
    }
    await this.takeBack();
    this.told = message;
    this.open += 1;
    try {
      return await vscode.window.showErrorMessage(message, ...buttons);
    } finally {
      this.open -= 1;
      if (this.open === 0) {
        this.told = ""; // it is not on the screen any more: the same trouble is told anew
      }
    }
  }

  /** What was told does not hold any more. An extension cannot close a message, only fold it away. */
  async takeBack(): Promise<void> {
    this.told = "";
    if (this.open > 0) {
      await vscode.commands.executeCommand("notifications.hideToasts");
    }
  }
}
