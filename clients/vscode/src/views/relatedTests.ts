/** Owns the tests of a definition in the Test Explorer: which reach it, running them, what became of them. */

import * as vscode from "vscode";
import type { ServerController } from "../client";
import { counted } from "../format";
import { sayNoServer } from "../noServer";
import { toRange } from "../open";
import type { FailedPlace, ImpactAnswer, ImpactParams, TestAnswer } from "../protocol";
import { outcomesOf, testsOf, type RunItem } from "../testOutcomes";

/** Enough for every dependant that there is. */
const EVERY = 100_000;

export class RelatedTests implements vscode.Disposable {
  private readonly tests = vscode.tests.createTestController("surveyor.relatedTests", "Surveyor");
  private readonly profile: vscode.TestRunProfile;
  /** What each leaf stands for. */
  private readonly meant = new WeakMap<vscode.TestItem, RunItem>();

  constructor(private readonly controller: ServerController) {
    this.profile = this.tests.createRunProfile(
      "Run",
      vscode.TestRunProfileKind.Run,
      (request, token) => this.run(request, token),
      true,
    );
  }

  dispose(): void {
    vscode.Disposable.from(this.profile, this.tests).dispose();
  }

  /** Lists the tests that reach the symbol at a place; whether there are any. */
  async show(at: ImpactParams): Promise<boolean> {
    const answer = await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: "Surveyor: looking for tests" }, () =>
      this.controller.request<ImpactAnswer>("surveyor/impact", { ...at, limit: EVERY }),
    );
    if (!answer) {
      void sayNoServer(this.controller);
      return false;
    }
    const name = (typeof answer.symbol === "string" ? answer.symbol : answer.symbol?.name) ?? "";
    if (!name) {
      void vscode.window.showInformationMessage("There is no symbol under the cursor that Surveyor knows.");
      return false;
    }
    const found = testsOf(answer.inbound);
    const doubt = answer.complete ? "" : ` There may be others: ${answer.notice ?? "the index is not finished"}.`;
    if (found.length === 0) {
      void vscode.window.showInformationMessage(`No test that Surveyor knows of reaches ${name}.${doubt}`);
      return false;
    }
    // A description would take the label's place for screen readers.
    const root = this.tests.createTestItem("tests", `${counted(found.length, "test")} of ${name}${answer.complete ? "" : ", perhaps not all"}`);
    for (const item of found) {
      this.leaf(this.fileOf(root, item.uri), item);
    }
    this.tests.items.replace([root]);
    await vscode.commands.executeCommand("workbench.view.testing.focus");
    const [first] = [...root.children];
    const [inner] = [...(first?.[1].children ?? [])];
    await vscode.commands.executeCommand("vscode.revealTestInExplorer", inner?.[1] ?? first?.[1]);
    return true;
  }

  /** Runs what is listed. */
  async runAll(): Promise<void> {
    const source = new vscode.CancellationTokenSource();
    await this.run(new vscode.TestRunRequest(undefined, undefined, this.profile), source.token);
    source.dispose();
  }

  private fileOf(root: vscode.TestItem, uri: string): vscode.TestItem {
    const known = root.children.get(uri);
    if (known) {
      return known;
    }
    const where = vscode.Uri.parse(uri);
    const file = this.tests.createTestItem(uri, vscode.workspace.asRelativePath(where), where);
    root.children.add(file);
    return file;
  }

  private leaf(file: vscode.TestItem, { uri, name, range }: { uri: string; name: string; range: ImpactAnswer["inbound"][number]["range"] }): void {
    if (name === "") {
      this.meant.set(file, { uri, name });
      return;
    }
    const item = this.tests.createTestItem(`${uri}::${name}`, name, vscode.Uri.parse(uri));
    item.range = toRange(range);
    this.meant.set(item, { uri, name });
    file.children.add(item);
  }

  private leaves(item: vscode.TestItem, without: ReadonlySet<vscode.TestItem>): vscode.TestItem[] {
    if (without.has(item)) {
      return [];
    }
    const inside = [...item.children].flatMap(([, child]) => this.leaves(child, without));
    return this.meant.has(item) ? [item, ...inside] : inside;
  }

  private async run(request: vscode.TestRunRequest, cancel: vscode.CancellationToken): Promise<void> {
    const without = new Set(request.exclude ?? []);
    const roots = request.include ?? [...this.tests.items].map(([, item]) => item);
    const leaves = roots.flatMap((item) => this.leaves(item, without));
    const run = this.tests.createTestRun(request);
    try {
      const items = new Map(leaves.map((leaf) => [leaf, this.meant.get(leaf) as RunItem]));
      leaves.forEach((leaf) => run.started(leaf));
      const answer = await this.ask([...items.values()], run, cancel);
      if (answer) {
        this.tell(run, answer, items);
      } else if (!cancel.isCancellationRequested) {
        leaves.forEach((leaf) => run.errored(leaf, new vscode.TestMessage("Surveyor's server is not running.")));
      }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (!cancel.isCancellationRequested) {
        leaves.forEach((leaf) => run.errored(leaf, new vscode.TestMessage(message)));
        run.appendOutput(`${message}\r\n`);
        void vscode.window.showErrorMessage(message);
      }
    } finally {
      run.end();
    }
  }

  private ask(items: RunItem[], run: vscode.TestRun, cancel: vscode.CancellationToken): Promise<TestAnswer | undefined> {
    const targets = items.map(({ uri, name }) => [vscode.Uri.parse(uri).fsPath, name].filter(Boolean).join("::"));
    const uri = items[0]?.uri;
    const either = new vscode.CancellationTokenSource(); // a run is ended here, too, when its tests are replaced
    cancel.onCancellationRequested(() => either.cancel());
    run.token.onCancellationRequested(() => either.cancel());
    let last = "";
    const report = (message: string): void => {
      const said = message.replace(/ ?\(\d+ s\)$/, ""); // that it still runs, the editor shows
      if (said !== last) {
        run.appendOutput(`${(last = said)}\r\n`);
      }
    };
    return this.controller
      .requestReporting<TestAnswer>(
        "surveyor/test",
        { ...(uri ? { uri } : {}), targets },
        report,
        either.token,
      )
      .finally(() => either.dispose());
  }

  private tell(run: vscode.TestRun, answer: TestAnswer, items: ReadonlyMap<vscode.TestItem, RunItem>): void {
    const outcomes = outcomesOf(answer, [...items.values()]);
    for (const [leaf, item] of items) {
      const outcome = outcomes.get(item);
      if (outcome?.state === "failed") {
        run.failed(leaf, outcome.failures.map(messageOf));
      } else if (outcome?.state === "errored") {
        run.errored(leaf, outcome.failures.map(messageOf));
      } else if (outcome?.state === "passed") {
        run.passed(leaf);
      } else {
        run.skipped(leaf);
      }
    }
    const said = [
      `${answer.passed} passed, ${answer.failed} failed, ${answer.skipped} skipped.`,
      ...answer.failures.map((failure) => `${failure.test}: ${failure.message}`),
      ...answer.notRun,
      answer.notice ?? "",
      answer.output,
    ];
    run.appendOutput(`${said.filter(Boolean).join("\n").replace(/\r?\n/g, "\r\n")}\r\n`);
  }
}

function messageOf(failure: Pick<FailedPlace, "uri" | "range" | "message" | "test">): vscode.TestMessage {
  const message = new vscode.TestMessage(failure.message || failure.test);
  if (failure.uri) {
    message.location = new vscode.Location(vscode.Uri.parse(failure.uri), toRange(failure.range));
  }
  return message;
}
