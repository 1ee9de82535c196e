/**
 * Owns the order in which the server is looked for. Pure: what exists is asked of the caller.
 *
 * An untrusted workspace decides nothing: only the user's own setting, the managed environment
 * and the PATH outside of the workspace's folders count then.
 */

import * as path from "node:path";

export type Source = "setting" | "interpreter" | "PATH" | "user's programs" | "managed environment";
export type ImportStrategy = "fromEnvironment" | "useManaged";

export interface Surroundings {
  trusted: boolean;
  importStrategy: ImportStrategy;
  /** `surveyor.server.path`; empty when not set. */
  configuredPath: string;
  /** Python interpreters, the most wanted first: the configured one, the active one, `.venv`. */
  interpreters: readonly string[];
  pathFolders: readonly string[];
  home: string;
  workspaceFolders: readonly string[];
  /** The `surveyor` of the managed environment, wanted or there. */
  managed: string;
  platform: NodeJS.Platform;
  exists: (file: string) => boolean;
}

export interface Candidate {
  source: Source;
  command: string;
}

export interface Search {
  candidates: Candidate[];
  /** Where was looked in vain, one phrase each, for the message and the log. */
  missing: string[];
}

/** The file name of the server's command. */
export function executableName(platform: NodeJS.Platform): string {
  return platform === "win32" ? "surveyor.exe" : "surveyor";
}

/** The server's command beside an interpreter of the same environment. */
export function besideInterpreter(interpreter: string, platform: NodeJS.Platform): string {
  const join = platform === "win32" ? path.win32 : path.posix;
  const folder = join.dirname(interpreter);
  const name = executableName(platform);
  const inScripts = platform === "win32" && join.basename(folder).toLowerCase() !== "scripts";
  return inScripts ? join.join(folder, "Scripts", name) : join.join(folder, name);
}

function within(file: string, folders: readonly string[]): boolean {
  return folders.some((folder) => {
    const relative = path.relative(folder, file);
    return relative === "" || (!relative.startsWith("..") && !path.isAbsolute(relative));
  });
}

/** `~`, `${userHome}` and `${workspaceFolder}` written out. */
export function expandPath(value: string, home: string, workspaceFolder: string | undefined): string {
  let expanded = value.trim();
  if (expanded === "~" || expanded.startsWith("~/") || expanded.startsWith("~\\")) {
    expanded = home + expanded.slice(1);
  }
  return expanded
    .replaceAll("${userHome}", home)
    .replaceAll("${workspaceFolder}", workspaceFolder ?? "${workspaceFolder}");
}

/** All commands worth a try, in order; each still has to answer `--version`. */
export function findCandidates(surroundings: Surroundings): Search {
  const { platform, exists } = surroundings;
  const candidates: Candidate[] = [];
  const missing: string[] = [];
  const consider = (source: Source, command: string, where: string): void => {
    if (!exists(command)) {
      missing.push(where);
    } else if (!candidates.some((known) => known.command === command)) {
      candidates.push({ source, command });
    }
  };

  if (surroundings.configuredPath) {
    // A path that the user named is the only one meant: falling back would hide the mistake.
    const absolute = (platform === "win32" ? path.win32 : path.posix).isAbsolute(surroundings.configuredPath);
    if (absolute) {
      consider("setting", surroundings.configuredPath, `surveyor.server.path: ${surroundings.configuredPath} does not exist`);
    } else {
      missing.push(`surveyor.server.path: ${surroundings.configuredPath} is not an absolute path`);
    }
    return { candidates, missing };
  }
  const managed = (): void =>
    consider("managed environment", surroundings.managed, `managed environment: ${surroundings.managed}`);
  if (surroundings.importStrategy === "useManaged" || !surroundings.trusted) {
    managed();
  }
  if (surroundings.trusted) {
    for (const interpreter of surroundings.interpreters) {
      const command = besideInterpreter(interpreter, platform);
      consider("interpreter", command, `interpreter's environment: ${command}`);
    }
  } else {
    missing.push("interpreters: not looked at, the workspace is not trusted");
  }
  const name = executableName(platform);
  const folders = surroundings.pathFolders.filter(
    (folder) => path.isAbsolute(folder) && (surroundings.trusted || !within(folder, surroundings.workspaceFolders)),
  );
  const onPath = folders.map((folder) => path.join(folder, name)).find(exists);
  if (onPath) {
    consider("PATH", onPath, "PATH");
  } else {
    missing.push(`PATH: no ${name} in ${folders.length} folders`);
  }
  // Where uv and pipx put programs; an editor that no shell has started has another PATH.
  const ofUser = path.join(surroundings.home, ".local", "bin", name);
  if (surroundings.trusted || !within(ofUser, surroundings.workspaceFolders)) {
    consider("user's programs", ofUser, `user's programs: ${ofUser}`);
  }
  if (surroundings.importStrategy === "fromEnvironment" && surroundings.trusted) {
    managed();
  }
  return { candidates, missing };
}

/** The package's name where packages are found; `installation/origin.py` has the same. */
export const DISTRIBUTION = "surveyor";

export type ServerPackage =
  | { kind: "wheel" | "folder"; requirement: string }
  | { kind: "pinned"; requirement: string };

/**
 * Reads `surveyor.server.package`. Throws an Error with a sentence for the user when it is not a
 * wheel, a folder with a pyproject.toml or a pinned `name==version`.
 */
export function readServerPackage(value: string, exists: (file: string) => boolean): ServerPackage {
  const requirement = value.trim();
  if (requirement === "") {
    throw new Error(
      "surveyor.server.package is empty. Set it to a wheel, a folder with Surveyor's source, or a pinned name==version.",
    );
  }
  if (path.isAbsolute(requirement)) {
    if (!exists(requirement)) {
      throw new Error(`surveyor.server.package names ${requirement}, which does not exist.`);
    }
    if (requirement.endsWith(".whl")) {
      return { kind: "wheel", requirement };
    }
    if (exists(path.join(requirement, "pyproject.toml"))) {
      return { kind: "folder", requirement };
    }
    throw new Error(`surveyor.server.package names ${requirement}, which is neither a wheel nor a folder with a pyproject.toml.`);
  }
  if (/^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?==[A-Za-z0-9][A-Za-z0-9.!+_-]*$/.test(requirement)) {
    return { kind: "pinned", requirement };
  }
  throw new Error(
    `surveyor.server.package is "${requirement}"; it takes an absolute path to a wheel or a folder, or a pinned name==version.`,
  );
}

/** Surveyor's data folder, by the same rules as the server's (`paths.py`). */
export function dataFolder(env: NodeJS.ProcessEnv, home: string, platform: NodeJS.Platform): string {
  if (env["SURVEYOR_DATA_DIR"]) {
    return env["SURVEYOR_DATA_DIR"].replace(/^~(?=$|[\\/])/, home);
  }
  if (platform === "win32") {
    return path.join(env["LOCALAPPDATA"] ?? path.join(home, "AppData", "Local"), "surveyor");
  }
  if (platform === "darwin") {
    return path.join(home, "Library", "Application Support", "surveyor");
  }
  return path.join(env["XDG_DATA_HOME"] || path.join(home, ".local", "share"), "surveyor");
}
