/** Owns the quick pick that searches by meaning as one types, and the one for similar code. */

import * as vscode from "vscode";
import type { ServerController } from "./client";
import { counted, firstLine, iconOf, nameOf, placeOf, resultsMessage } from "./format";
import { waysOn, whyNoServer } from "./noServer";
import { openHit, Preview } from "./open";
import type { SearchAnswer, SearchHit, SimilarParams } from "./protocol";
import { type Searcher, wholeWindow } from "./searcher";
import { settings } from "./settings";

const DEBOUNCE_MS = 150;
/** Moving through the list with the key held down must not open every file. */
const PREVIEW_DELAY_MS = 80;
/** While the index is being made, what is shown is asked for again, at most this often. */
const AGAIN_MS = 1000;

const BESIDE: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("split-horizontal"), tooltip: "Open to the Side" };
const SIMILAR: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("copy"), tooltip: "Find Similar Code" };
const TO_VIEW: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("list-tree"), tooltip: "Show in Search View" };
const ALL: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("root-folder-opened"), tooltip: "Searching this folder; search all folders" };
const ONE: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("files"), tooltip: "Searching all folders; search this folder" };

type Item = vscode.QuickPickItem & { hit?: SearchHit; query?: string; run?: () => unknown };

export function hitItem(hit: SearchHit): Item {
  const unsaved = hit.unsavedVersion ? " (unsaved)" : "";
  return {
    label: `$(${iconOf(hit)}) ${nameOf(hit)}`,
    description: [hit.container, placeOf(hit)].filter(Boolean).join(" — ") + unsaved,
    detail: [hit.signature || firstLine(hit.snippet), ...(hit.reasons ?? [])].join(" · "),
    alwaysShow: true, // the answer is by meaning: what was typed need not occur in it
    buttons: hit.source === "code" ? [BESIDE, SIMILAR] : [BESIDE],
    hit,
  };
}

function notice(answer: SearchAnswer & { problems?: string[] }): Item[] {
  const notes = [...(answer.problems ?? [])];
  if (answer.notice) {
    notes.push(answer.notice);
  } else if (answer.results.length === 0) {
    notes.push(answer.status === "indexing" ? "Nothing found yet: the index is being made" : "Nothing found");
  }
  if (answer.status !== "healthy" && (answer.status !== "indexing" || answer.results.length > 0)) {
    notes.push(stateOf(answer));
  }
  // Not a separator: the editor shows none while something is typed.
  return answer.results.length === 0 ? notes.map((label) => message(label, "info")) : notes.length > 0 ? [message(notes.map((note) => note.replace(/\.$/, "")).join("; "), "info")] : [];
}

/** What an index that is not whole lacks. */
function stateOf({ status, filesBehind }: SearchAnswer): string {
  const behind = filesBehind > 0 ? `${counted(filesBehind, "file")} not indexed yet` : "";
  return status === "indexing" ? behind || "The index is being made" : [`The index is ${status}`, behind].filter(Boolean).join(", ");
}

/** Shows entries, the first result as the one that Enter takes. */
function show(pick: vscode.QuickPick<Item>, items: readonly Item[]): void {
  pick.items = items;
  const first = items.find((item) => item.hit);
  if (first && first !== items[0]) {
    pick.activeItems = [first];
  }
}

/** Why there is no answer without a server, and what can be done about it. */
function withoutServer(controller: ServerController): Item[] {
  const ways = waysOn(controller).map(({ title, icon, run }) => ({ label: `$(${icon}) ${title}`, alwaysShow: true, run }));
  return [message(whyNoServer(controller)), ...ways];
}

/** An entry that only says something. */
function message(label: string, icon = "warning"): Item {
  return { label: `$(${icon}) ${label}`, alwaysShow: true };
}

export interface SearchUi {
  controller: ServerController;
  searcher: Searcher;
  showInView: (query: string) => void;
}

/** Opens the search box; `initial` is put into it. */
export function searchQuickPick(ui: SearchUi, initial = ""): void {
  const { searcher } = ui;
  const folders = vscode.workspace.workspaceFolders ?? [];
  const manyFolders = folders.length > 1;
  /** Whether the user wants all folders; until that is said it depends on where the user comes from. */
  let all: boolean | undefined;
  const pick = vscode.window.createQuickPick<Item>();
  const preview = new Preview(() => scopeMayHaveChanged());
  let source: vscode.CancellationTokenSource | undefined;
  let timer: NodeJS.Timeout | undefined;
  let previewTimer: NodeJS.Timeout | undefined;
  let accepted = false;
  /** Whether the user has left the first hit, which becomes active by itself. */
  let moved = false;
  /** When the answer that is shown came, if it came from an index that was still being made. */
  let unfinished: number | undefined;

  pick.title = "Surveyor: Search by Meaning";
  pick.placeholder = "What does the code do? Filters: lang: path: kind: type: in: mode:";
  pick.matchOnDescription = false;
  pick.matchOnDetail = false;
  pick.keepScrollPosition = false;
  const scope = (): vscode.Uri | undefined => {
    if (!manyFolders) {
      return wholeWindow(preview.origin);
    }
    const own = preview.origin && vscode.workspace.getWorkspaceFolder(preview.origin)?.uri;
    return (all ?? !own) ? undefined : (own ?? folders[0]?.uri);
  };
  let rendered: string | undefined;
  const renderButtons = (): void => {
    rendered = scope()?.toString();
    pick.buttons = manyFolders ? [rendered === undefined ? ONE : ALL, TO_VIEW] : [TO_VIEW];
  };
  const scopeMayHaveChanged = (): void => {
    if (scope()?.toString() !== rendered) {
      renderButtons();
      changed(pick.value);
    }
  };
  renderButtons();

  const showHistory = (): void => {
    const entries = searcher.history;
    pick.items = entries.length
      ? [
          { label: "recent", kind: vscode.QuickPickItemKind.Separator },
          ...entries.map((query) => ({ label: `$(history) ${query}`, alwaysShow: true, query })),
        ]
      : [];
  };

  const search = async (text: string): Promise<void> => {
    source?.cancel();
    source?.dispose();
    const own = (source = new vscode.CancellationTokenSource());
    pick.busy = true;
    try {
      const answer = await searcher.search(text, scope(), own.token);
      if (own !== source || own.token.isCancellationRequested) {
        return;
      }
      moved = false;
      unfinished = answer && answer.status === "indexing" ? Date.now() : undefined;
      if (!answer) {
        pick.items = ui.controller.state === "running" ? [] : withoutServer(ui.controller);
        return;
      }
      const found = typeof answer.matches === "number" ? resultsMessage(answer) : counted(answer.results.length, "result");
      pick.title = `Surveyor: ${found} in ${Math.max(1, Math.round(answer.tookMs))} ms`;
      show(pick, [...notice(answer), ...answer.results.map(hitItem)]);
    } catch (error) {
      if (own === source && !own.token.isCancellationRequested) {
        pick.items = [message(error instanceof Error ? error.message : String(error))];
      }
    } finally {
      if (own === source) {
        pick.busy = false;
      }
    }
  };

  const changed = (text: string): void => {
    clearTimeout(timer);
    unfinished = undefined;
    if (text.trim() === "") {
      source?.cancel();
      pick.busy = false;
      showHistory();
      return;
    }
    timer = setTimeout(() => void search(text), DEBOUNCE_MS);
  };

  const growing = ui.controller.onDidChangeStatus(() => {
    if (unfinished !== undefined && !pick.busy && !moved && Date.now() - unfinished >= AGAIN_MS) {
      void search(pick.value);
    }
  });

  pick.onDidChangeValue(changed);
  pick.onDidChangeActive((items) => {
    clearTimeout(previewTimer);
    const hit = items[0]?.hit;
    if (!hit || (!moved && hit === pick.items.find((item) => item.hit)?.hit)) {
      return;
    }
    moved = true;
    // The first hit became active by itself after each answer: preview once the user moves.
    if (settings.searchPreview()) {
      previewTimer = setTimeout(() => void preview.show(hit), PREVIEW_DELAY_MS);
    }
  });
  pick.onDidTriggerItemButton(async ({ item, button }) => {
    if (item.hit) {
      accepted = true;
      pick.hide();
      await preview.end(true);
      await searcher.remember(pick.value);
      if (button === SIMILAR) {
        similarQuickPick(ui, { textDocument: { uri: item.hit.uri }, range: item.hit.range });
      } else {
        await openHit(item.hit, true);
      }
    }
  });
  pick.onDidTriggerButton(async (button) => {
    if (button === TO_VIEW) {
      accepted = true;
      pick.hide();
      await preview.end(true);
      await searcher.remember(pick.value);
      ui.showInView(pick.value);
    } else {
      all = scope() !== undefined;
      scopeMayHaveChanged();
    }
  });
  pick.onDidAccept(async () => {
    const item = pick.selectedItems[0];
    if (item?.query !== undefined) {
      pick.value = item.query;
      changed(item.query);
    } else if (item?.run) {
      pick.hide();
      await item.run();
    } else if (item?.hit) {
      accepted = true;
      pick.hide();
      await preview.end(false);
      await searcher.remember(pick.value);
      await openHit(item.hit);
    }
  });
  pick.onDidHide(() => {
    clearTimeout(timer);
    clearTimeout(previewTimer);
    source?.cancel();
    source?.dispose();
    growing.dispose();
    pick.dispose();
    if (!accepted) {
      void preview.end(true);
    }
  });
  pick.value = initial;
  changed(initial);
  pick.show();
}

/** Lists code like a range; choosing opens it. */
export function similarQuickPick(ui: SearchUi, params: SimilarParams): void {
  // It opens at once: a list that came later would take the place of what is open by then.
  const pick = vscode.window.createQuickPick<Item>();
  const preview = new Preview();
  const source = new vscode.CancellationTokenSource();
  let accepted = false;
  pick.title = "Surveyor: Similar Code";
  pick.placeholder = "Type to narrow down";
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.busy = true;
  const ask = async (): Promise<Item[]> => {
    const request = { limit: settings.searchLimit(), ...params };
    try {
      const answer = await ui.controller.request<SearchAnswer>("surveyor/similar", request, source.token);
      return answer
        ? [...notice(answer), ...answer.results.map((hit) => ({ ...hitItem(hit), alwaysShow: false }))]
        : withoutServer(ui.controller);
    } catch (error) {
      return [message(error instanceof Error ? error.message : String(error))];
    }
  };
  void ask().then((items) => {
    if (!source.token.isCancellationRequested) {
      show(pick, items);
      pick.busy = false;
    }
  });
  pick.onDidChangeActive(([item]) => {
    if (item?.hit && settings.searchPreview()) {
      void preview.show(item.hit);
    }
  });
  pick.onDidTriggerItemButton(async ({ item, button }) => {
    if (item.hit) {
      accepted = true;
      pick.hide();
      await preview.end(true);
      if (button === SIMILAR) {
        similarQuickPick(ui, { textDocument: { uri: item.hit.uri }, range: item.hit.range });
      } else {
        await openHit(item.hit, true);
      }
    }
  });
  pick.onDidAccept(async () => {
    const [item] = pick.selectedItems;
    const hit = item?.hit;
    if (item?.run) {
      pick.hide();
      await item.run();
    } else if (hit) {
      accepted = true;
      pick.hide();
      await preview.end(false);
      await openHit(hit);
    }
  });
  pick.onDidHide(() => {
    source.cancel();
    source.dispose();
    pick.dispose();
    if (!accepted) {
      void preview.end(true);
    }
  });
  pick.show();
}
