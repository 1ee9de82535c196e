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

/**
 * Shows hits while the user moves over them, and puts the editor back when none is chosen.
 *
 * It knows the editor that the user comes from. The window shows a file before the extension
 * hears of it, so the editor is followed until the box is closed; previews do not count.
 */
export class Preview {
  private before = vscode.window.activeTextEditor;
  private selection: vscode.Selection | undefined;
  private readonly mark = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor("editor.rangeHighlightBackground"),
    isWholeLine: true,
  });
  private readonly openBefore = new Set(fileTabs().map(({ uri }) => uri));
  private readonly previewed = new Set<string>();
  private shown: vscode.TextEditor | undefined;
  private turn = 0;
  /** One step at a time: what is put back must come after what is still being shown. */
  private queue: Promise<void> = Promise.resolve();
  private readonly follower: vscode.Disposable;

  /** `moved` is called when the editor that the user comes from turns out to be another. */
  constructor(moved: () => void = () => undefined) {
    this.follower = vscode.window.onDidChangeActiveTextEditor((editor) => {
      if (editor && this.previewed.size === 0) {
        this.before = editor;
        this.openBefore.add(editor.document.uri.toString());
        moved();
      }
    });
  }

  /** The file that the user comes from. */
  get origin(): vscode.Uri | undefined {
    return this.before?.document.uri;
  }

  /** Shows a hit, unless another one is asked for or the box is closed before its turn comes. */
  show(hit: SearchHit): Promise<void> {
    const turn = ++this.turn;
    return this.next(async () => {
      if (turn !== this.turn || !canOpen(hit)) {
        return;
      }
      const uri = vscode.Uri.parse(hit.uri);
      await vscode.workspace.openTextDocument(uri);
      if (turn !== this.turn) {
        return;
      }
      this.selection ??= this.before?.selection;
      this.previewed.add(uri.toString());
      const editor = await openAt(hit.uri, hit.range, { preview: true, keepFocus: true });
      this.shown?.setDecorations(this.mark, []);
      this.shown = editor;
      if (turn === this.turn) {
        editor.setDecorations(this.mark, [toRange(hit.range)]);
      }
    });
  }

  /** Ends the preview once nothing is being shown any more; `putBack` undoes it. */
  end(putBack: boolean): Promise<void> {
    this.turn += 1;
    this.follower.dispose();
    return this.next(async () => {
      this.mark.dispose();
      const shown = this.shown;
      this.shown = undefined;
      if (putBack && shown && !this.hasGoneElsewhere()) {
        await this.putBack();
      }
    });
  }

  private next(step: () => Promise<void>): Promise<void> {
    // A file that cannot be shown has no preview; choosing it says why.
    this.queue = this.queue.then(step).catch(() => undefined);
    return this.queue;
  }

  /** Whether the user has opened yet another file meanwhile, which must stay. */
  private hasGoneElsewhere(): boolean {
    const now = vscode.window.activeTextEditor?.document.uri.toString();
    return now !== undefined && now !== this.origin?.toString() && !this.previewed.has(now);
  }

  private async putBack(): Promise<void> {
    const { before, selection } = this;
    if (before && selection) {
      await vscode.window.showTextDocument(before.document, {
        ...(before.viewColumn === undefined ? {} : { viewColumn: before.viewColumn }),
        selection,
      });
    }
    const ours = fileTabs().filter(
      ({ tab, uri }) => tab.isPreview && !tab.isDirty && this.previewed.has(uri) && !this.openBefore.has(uri),
    );
    await vscode.window.tabGroups.close(ours.map(({ tab }) => tab), true);
  }
}

function fileTabs(): { tab: vscode.Tab; uri: string }[] {
  return vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .flatMap((tab) => (tab.input instanceof vscode.TabInputText ? [{ tab, uri: tab.input.uri.toString() }] : []));
}
