/**
 * Runs inside the real extension host. VS Code calls `run()`; each check's outcome goes into the
 * file that SURVEYOR_E2E_OUT names, which test_host.py reads.
 */
const vscode = require("vscode");
const fs = require("node:fs");
const path = require("node:path");

const SIGNER = "src/itsdangerous/signer.py";
const folder = () => vscode.workspace.workspaceFolders[0].uri;

async function until(what, ask, seconds = 120) {
  const deadline = Date.now() + seconds * 1000;
  let last;
  for (;;) {
    try {
      const value = await ask();
      if (value) {
        return value;
      }
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) {
      throw new Error(`${what} did not come${last ? `: ${last}` : ""}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const equal = (actual, expected, about) => {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) {
    throw new Error(`${about}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
  }
};

async function open(file) {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder(), file));
  await vscode.window.showTextDocument(document);
  return document;
}

function positionOf(document, text, inside) {
  const at = document.getText().indexOf(text);
  if (at < 0) {
    throw new Error(`${text} is not in ${document.uri.path}`);
  }
  return document.positionAt(at + text.indexOf(inside));
}

const controller = () => vscode.extensions.getExtension("surveyor.surveyor").exports.controller;

const places = (found) =>
  found.map((place) => {
    const uri = place.uri ?? place.targetUri;
    const range = place.range ?? place.targetSelectionRange;
    return `${path.basename(uri.path)}:${range.start.line}:${range.start.character}`;
  });

const checks = {
  async "the extension starts and the folder is indexed"() {
    await until("the extension", () => vscode.extensions.getExtension("surveyor.surveyor")?.isActive);
    await until(
      "the index",
      async () => {
        await controller().refreshStatus();
        const project = controller().status?.projects[0];
        return project?.files > 0 && project.status === "healthy" && project.filesBehind === 0;
      },
    );
  },

  async "definitions and references come through the proxy, once each"() {
    const document = await open(SIGNER);
    const position = positionOf(document, "def derive_key", "derive_key");
    const references = await until("references", async () => {
      const found = await vscode.commands.executeCommand("vscode.executeReferenceProvider", document.uri, position);
      return found.length > 1 && found;
    });
    equal(new Set(places(references)).size, references.length, "references without duplicates");
    const use = positionOf(document, "self.derive_key()", "derive_key");
    const definitions = await until("a definition", async () => {
      const found = await vscode.commands.executeCommand("vscode.executeDefinitionProvider", document.uri, use);
      return found.length > 0 && found;
    });
    equal(definitions.length, 1, "one definition");
  },

  async "a hover has the language server's section and ours, with links"() {
    const document = await open(SIGNER);
    const position = positionOf(document, "def derive_key", "derive_key");
    const text = await until("a hover with both sections", async () => {
      const hovers = await vscode.commands.executeCommand("vscode.executeHoverProvider", document.uri, position);
      const all = hovers.flatMap((hover) => hover.contents.map((part) => part.value ?? part)).join("\n");
      return /derive_key/.test(all) && /used \d+ times|similar:|last change/i.test(all) && all;
    });
    if (!/\]\((file|command):/.test(text)) {
      throw new Error(`no link in ${text}`);
    }
  },

  async "workspace symbols find names"() {
    const found = await until("symbols", async () => {
      const symbols = await vscode.commands.executeCommand("vscode.executeWorkspaceSymbolProvider", "TimestampSigner");
      return symbols.length > 0 && symbols;
    });
    // The command sorts by place, so only presence can be asked.
    equal(found.some((s) => s.name === "TimestampSigner" && s.kind === vscode.SymbolKind.Class), true, "the class");
    equal(new Set(found.map((s) => `${s.location.uri}${s.location.range.start.line}${s.name}`)).size, found.length, "no duplicates");
  },

  async "an unsaved function is found, and found again when it is saved"() {
    const document = await open("src/itsdangerous/timed.py");
    const edit = new vscode.WorkspaceEdit();
    const end = document.lineAt(document.lineCount - 1).range.end;
    edit.insert(document.uri, end, "\n\ndef zebra_crossing_ledger(pages):\n    return len(pages)\n");
    await vscode.workspace.applyEdit(edit);
    const hit = async (unsaved) => {
      const params = { query: "zebra_crossing_ledger", limit: 5, uri: folder().toString() };
      const answer = await controller().request("surveyor/search", params);
      return answer.results.find((r) => r.symbol === "zebra_crossing_ledger" && Boolean(r.unsavedVersion) === unsaved);
    };
    await until("the unsaved function", () => hit(true));
    await document.save();
    await until("the saved function", () => hit(false));
  },

  async "settings take effect while the server runs"() {
    const document = await open(SIGNER);
    const lenses = async (words = /reference/) => {
      const found = await vscode.commands.executeCommand("vscode.executeCodeLensProvider", document.uri, 50);
      return found.filter((lens) => words.test(lens.command?.title ?? ""));
    };
    equal((await lenses()).length, 0, "no lens by default");
    const server = controller().server;
    const settings = vscode.workspace.getConfiguration("surveyor");
    await settings.update("lens.references", true, vscode.ConfigurationTarget.Global);
    try {
      const shown = await until("lenses", async () => (await lenses()).length > 0 && lenses());
      equal(shown[0].command.command, "surveyor.showReferences", "the lens's command");
      await settings.update("lens.similar", true, vscode.ConfigurationTarget.Global);
      const [similar] = await until("lenses to similar code", async () => (await lenses(/similar/i)).length > 0 && lenses(/similar/i));
      equal(similar.command.command, "surveyor.similar", "the lens's command");
      const [asked] = similar.command.arguments;
      const answer = await controller().request("surveyor/similar", { limit: 5, ...asked });
      equal(answer.results.length > 0, true, "similar code");
    } finally {
      await settings.update("lens.references", undefined, vscode.ConfigurationTarget.Global);
      await settings.update("lens.similar", undefined, vscode.ConfigurationTarget.Global);
    }
    await until("no lens", async () => (await lenses()).length + (await lenses(/similar/i)).length === 0);
    equal(controller().server === server, true, "the same server");
  },

  async "another extension's language is left to it, with the reason"() {
    const settings = vscode.workspace.getConfiguration("surveyor");
    const decision = controller().decision("typescript");
    equal(decision.mode, "companion", "built-in TypeScript support");
    equal(/TypeScript/.test(decision.reason), true, decision.reason);
    await settings.update("mode", "proxy", vscode.ConfigurationTarget.Global);
    equal(controller().decision("typescript").mode, "proxy", "the setting wins");
    await settings.update("mode", undefined, vscode.ConfigurationTarget.Global);
  },

  async "in companion mode there is one definition and each reference once"() {
    const file = vscode.Uri.joinPath(folder(), "web/cart.ts");
    await vscode.workspace.fs.writeFile(
      file,
      Buffer.from("export function total(prices: number[]): number {\n  return prices.length;\n}\ntotal([]);\ntotal([1]);\n"),
    );
    const document = await open("web/cart.ts");
    const use = positionOf(document, "total([])", "total");
    const definitions = await until("a definition", async () => {
      const found = await vscode.commands.executeCommand("vscode.executeDefinitionProvider", document.uri, use);
      return found.length > 0 && found;
    });
    equal(definitions.length, 1, "one definition");
    const references = await until("all references", async () => {
      const found = await vscode.commands.executeCommand("vscode.executeReferenceProvider", document.uri, use);
      return found.length >= 3 && found;
    });
    equal(places(references), ["cart.ts:0:16", "cart.ts:3:0", "cart.ts:4:0"], "references");
  },

  async "agent mode is offered Surveyor's tools and can call one"() {
    await vscode.commands.executeCommand("workbench.mcp.startServer", "*", { waitForLiveTools: true });
    const tool = await until("the search tool", () => vscode.lm.tools.find((t) => /surveyor.*search|search.*surveyor/i.test(t.name)));
    const result = await vscode.lm.invokeTool(tool.name, { input: { query: "derive a key from the secret" }, toolInvocationToken: undefined });
    const text = result.content.map((part) => part.value ?? "").join("\n");
    equal(/signer\.py/.test(text), true, `the tool's answer: ${text.slice(0, 300)}`);
  },

  async "agent mode loses the tools while the setting is off"() {
    const offered = () => vscode.lm.tools.some((t) => /surveyor.*search|search.*surveyor/i.test(t.name));
    await until("the tools", offered);
    const settings = vscode.workspace.getConfiguration("surveyor");
    await settings.update("mcp.enabled", false, vscode.ConfigurationTarget.Global);
    try {
      await until("the end of the tools", () => !offered());
    } finally {
      await settings.update("mcp.enabled", undefined, vscode.ConfigurationTarget.Global);
    }
    await vscode.commands.executeCommand("workbench.mcp.startServer", "*", { waitForLiveTools: true });
    await until("the tools again", offered);
  },

  async "a killed server is started again and answers"() {
    const { execFileSync } = require("node:child_process");
    const own = String(process.pid);
    const servers = execFileSync("ps", ["-eo", "pid,ppid,args"], { encoding: "utf8" })
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .filter(([, parent, ...args]) => parent === own && args.join(" ").includes("surveyor") && args.includes("lsp"));
    equal(servers.length, 1, "one server below the extension host");
    process.kill(Number(servers[0][0]), "SIGKILL");
    await until("the end of the first", () => controller().state !== "running");
    await until("a new server", () => controller().state === "running");
    await until("an answer", async () => {
      const answer = await controller().request("surveyor/search", { query: "sign", limit: 3, uri: folder().toString() });
      return answer?.results.length > 0;
    });
  },

  async "a second folder is searched too"() {
    const second = process.env.SURVEYOR_E2E_SECOND;
    if (!second) {
      throw new Error("SURVEYOR_E2E_SECOND is not set");
    }
    // Adding a second folder to a single-folder window reloads it, so the server is told directly.
    const added = [{ uri: vscode.Uri.file(second).toString(), name: "second" }];
    await controller().client.sendNotification("workspace/didChangeWorkspaceFolders", { event: { added, removed: [] } });
    await until("the second project", async () => {
      const answer = await controller().request("surveyor/search", { query: "quokka_ledger", limit: 5 });
      return answer.results.some((r) => r.uri.includes("/second/"));
    });
  },
};

exports.run = async function run() {
  const only = process.env.SURVEYOR_E2E_ONLY;
  const outcomes = {};
  for (const [name, check] of Object.entries(checks)) {
    if (only && !only.split(',').some((word) => name.includes(word))) {
      continue;
    }
    try {
      await check();
      outcomes[name] = "ok";
    } catch (error) {
      outcomes[name] = error instanceof Error ? error.stack : String(error);
    }
    fs.writeFileSync(`${process.env.SURVEYOR_E2E_OUT}.part`, JSON.stringify(outcomes));
  }
  fs.renameSync(`${process.env.SURVEYOR_E2E_OUT}.part`, process.env.SURVEYOR_E2E_OUT);
};
