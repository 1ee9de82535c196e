/**
 * Owns the choice between `proxy`, `companion` and `full` for each language. Pure: extensions and
 * settings are asked of the caller.
 *
 * VS Code joins the answers of two servers, so a language that another extension already serves
 * would show each definition twice. There Surveyor adds only what is its own.
 */

export type Mode = "proxy" | "companion" | "full";
export type ModeSetting = "auto" | Mode;

export interface Decision {
  mode: Mode;
  reason: string;
  /** The other extension whose answers come beside ours, by what the user has set. */
  doubledBy?: string;
}

/** What is read of an installed and enabled extension. */
export interface InstalledExtension {
  id: string;
  displayName: string;
  activationEvents: readonly string[];
  categories: readonly string[];
  hasCode: boolean;
  /** Languages that its package.json contributes. */
  languages: readonly string[];
}

export type ReadSetting = (name: string) => unknown;

interface Provider {
  languages: readonly string[];
  /** False when the user has switched its language server off. */
  serves?: (setting: ReadSetting, installed: (id: string) => boolean) => boolean;
}

const JAVASCRIPT = ["javascript", "javascriptreact", "typescript", "typescriptreact"] as const;
const C_FAMILY = ["c", "cpp", "cuda-cpp", "objective-c", "objective-cpp"] as const;

/** Extensions that serve definitions and references, and when they do not. Keys in lower case. */
const PROVIDERS: Record<string, Provider> = {
  "ms-python.vscode-pylance": {
    languages: ["python"],
    serves: (setting) => ["Default", "Pylance", undefined].includes(setting("python.languageServer") as string | undefined),
  },
  "ms-python.python": {
    languages: ["python"],
    // Without Pylance the Python extension's default is Jedi, which it carries.
    serves: (setting, installed) =>
      setting("python.languageServer") === "Jedi" ||
      (["Default", undefined].includes(setting("python.languageServer") as string | undefined) &&
        !installed("ms-python.vscode-pylance")),
  },
  "detachhead.basedpyright": {
    languages: ["python"],
    serves: (setting) => setting("basedpyright.disableLanguageServices") !== true,
  },
  "ms-pyright.pyright": {
    languages: ["python"],
    serves: (setting) => setting("pyright.disableLanguageServices") !== true,
  },
  "astral-sh.ty": {
    languages: ["python"],
    serves: (setting) => setting("ty.disableLanguageServices") !== true,
  },
  "meta.pyrefly": {
    languages: ["python"],
    serves: (setting) => setting("python.pyrefly.disableLanguageServices") !== true,
  },
  "vscode.typescript-language-features": { languages: JAVASCRIPT },
  "vscode.css-language-features": { languages: ["css", "scss", "less"] },
  "vscode.html-language-features": { languages: ["html"] },
  "vscode.json-language-features": { languages: ["json", "jsonc"] },
  "vscode.php-language-features": { languages: [] }, // completion and hover of built-ins alone
  "vscode.markdown-language-features": { languages: ["markdown"] },
  "ms-vscode.cpptools": {
    languages: C_FAMILY,
    serves: (setting) => setting("C_Cpp.intelliSenseEngine") !== "disabled",
  },
  "llvm-vs-code-extensions.vscode-clangd": {
    languages: C_FAMILY,
    serves: (setting) => setting("clangd.enable") !== false,
  },
  "golang.go": { languages: ["go"], serves: (setting) => setting("go.useLanguageServer") !== false },
  "rust-lang.rust-analyzer": { languages: ["rust"] },
  "redhat.java": { languages: ["java"] },
  "ms-dotnettools.csharp": { languages: ["csharp"] },
  "shopify.ruby-lsp": { languages: ["ruby"] },
  "bmewburn.vscode-intelephense-client": { languages: ["php"] },
  "sumneko.lua": { languages: ["lua"] },
  "mads-hartmann.bash-ide-vscode": { languages: ["shellscript"] },
  "redhat.vscode-yaml": { languages: ["yaml", "dockercompose"] },
  "ziglang.vscode-zig": { languages: ["zig"] },
  "fwcd.kotlin": { languages: ["kotlin"] },
  "swiftlang.swift-vscode": { languages: ["swift"] },
  "dart-code.dart-code": { languages: ["dart"] },
  "elixir-lsp.elixir-ls": { languages: ["elixir"] },
  "haskell.haskell": { languages: ["haskell"] },
  "scalameta.metals": { languages: ["scala"] },
};

/** Known to activate on a language without serving definitions or references. */
const NOT_PROVIDERS = [
  /^charliermarsh\.ruff$/,
  /^ms-python\.(pylint|flake8|mypy-type-checker|black-formatter|isort|autopep8|debugpy|vscode-python-envs)$/,
  /^dbaeumer\.vscode-eslint$/,
  /^esbenp\.prettier-vscode$/,
  /^biomejs\.biome$/,
  /^ms-vscode\.js-debug/,
  /^(vscode|ms-toolsai)\./,
];

/** Which extensions serve which language: language id -> display names. */
export function findProviders(
  extensions: readonly InstalledExtension[],
  setting: ReadSetting,
  ownId: string,
): Map<string, string> {
  const ids = new Set(extensions.map((extension) => extension.id.toLowerCase()));
  const found = new Map<string, string>();
  for (const extension of extensions) {
    const id = extension.id.toLowerCase();
    if (id === ownId.toLowerCase()) {
      continue;
    }
    for (const language of servedLanguages(extension, id, setting, (other) => ids.has(other))) {
      if (!found.has(language)) {
        found.set(language, extension.displayName);
      }
    }
  }
  return found;
}

function servedLanguages(
  extension: InstalledExtension,
  id: string,
  setting: ReadSetting,
  installed: (id: string) => boolean,
): readonly string[] {
  const known = PROVIDERS[id];
  if (known) {
    return known.serves === undefined || known.serves(setting, installed) ? known.languages : [];
  }
  if (!extension.hasCode || NOT_PROVIDERS.some((pattern) => pattern.test(id))) {
    return [];
  }
  // An unknown extension that calls itself a programming language's and wakes up for one.
  if (!extension.categories.includes("Programming Languages")) {
    return [];
  }
  const woken = extension.activationEvents
    .filter((event) => event.startsWith("onLanguage:"))
    .map((event) => event.slice("onLanguage:".length));
  return [...new Set(woken)];
}

/** The mode of one language: the setting if it says so, otherwise by who else serves it. */
export function decide(language: string, setting: ModeSetting, providers: ReadonlyMap<string, string>): Decision {
  const provider = providers.get(language);
  if (setting !== "auto") {
    const reason = "surveyor.mode is set";
    if (provider === undefined || setting === "companion") {
      return { mode: setting, reason };
    }
    return { mode: setting, reason: `${reason}, but ${provider} serves ${language}, too: answers come twice`, doubledBy: provider };
  }
  if (provider !== undefined) {
    return { mode: "companion", reason: `${provider} serves ${language}` };
  }
  return { mode: "proxy", reason: `no other extension serves ${language || "it"}` };
}
