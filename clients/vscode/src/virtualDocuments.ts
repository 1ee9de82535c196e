/** Owns documents that are in no file and that nobody can type into, so that none is left unsaved. */

import * as vscode from "vscode";

export class VirtualDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly emitter = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.emitter.event;
  private readonly texts = new Map<string, string>();
  private readonly registered: vscode.Disposable;

  constructor(private readonly scheme: string) {
    this.registered = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  }

  dispose(): void {
    vscode.Disposable.from(this.registered, this.emitter).dispose();
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "";
  }

  /** Keeps a text under a name that looks like a path; it shows at once where it is open. */
  put(authority: string, path: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: this.scheme, authority, path: `/${path}` });
    this.texts.set(uri.toString(), text);
    this.emitter.fire(uri);
    return uri;
  }
}
