/** Owns opening a hit: in place, beside, or as a preview that marks the lines and can be undone. */

import * as vscode from "vscode";
import type { Range, SearchHit } from "./protocol";

export function toRange(range: Range): vscode.Range {
  return new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character);
}

/** Whether a hit is in a file that the editor can open. */
export function canOpen(hit: { uri: string }): boolean {
  return /^(file|untitled|vscode-remote):/.test(hit.uri);
}

export async function openAt(
  uri: string,
  range: Range,
  options: { beside?: boolean; preview?: boolean; keepFocus?: boolean } = {},
): Promise<vscode.TextEditor> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
  const lines = toRange(range);
  const editor = await vscode.window.showTextDocument(document, {
    viewColumn: options.beside ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active,
    preview: options.preview ?? false,
    preserveFocus: options.keepFocus ?? false,
    selection: new vscode.Range(lines.start, lines.start),
  });
  editor.revealRange(lines, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  return editor;
}

export async function openHit(hit: SearchHit, beside = false): Promise<void> {
  if (canOpen(hit)) {
    await openAt(hit.uri, hit.range, { beside });
    return;
  }
  // Rules, library pages and commits are not files of the editor: their text is what there is.
  const document = await vscode.workspace.openTextDocument({
    content: `${hit.title ?? hit.symbol ?? hit.path}\n\n${hit.snippet}\n`,
    language: hit.source === "history" ? "git-commit" : "markdown",
  });
  await vscode.window.showTextDocument(document, {
    preview: true,
    viewColumn: beside ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active,
  });
}

/** Shows hits while the user moves over them, and puts the editor back when none is chosen. */
export class Preview implements vscode.Disposable {
  private readonly before = vscode.window.activeTextEditor;
  private readonly selection = this.before?.selection;
  private readonly mark = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor("editor.rangeHighlightBackground"),
    isWholeLine: true,
  });
  private shown: vscode.TextEditor | undefined;
  private turn = 0;

  async show(hit: SearchHit): Promise<void> {
    if (!canOpen(hit)) {
      return;
    }
    const turn = ++this.turn;
    const editor = await openAt(hit.uri, hit.range, { preview: true, keepFocus: true });
    if (turn === this.turn) {
      this.shown?.setDecorations(this.mark, []);
      this.shown = editor;
      editor.setDecorations(this.mark, [toRange(hit.range)]);
    }
  }

  async restore(): Promise<void> {
    if (this.shown && this.before && this.selection) {
      await vscode.window.showTextDocument(this.before.document, {
        ...(this.before.viewColumn === undefined ? {} : { viewColumn: this.before.viewColumn }),
        selection: this.selection,
      });
    }
  }

  dispose(): void {
    this.turn += 1;
    this.mark.dispose();
  }
}
