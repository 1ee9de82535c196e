/** Owns telling whether a program is Surveyor's server: it is run with `--version`, and not trusted. */

import { spawn } from "node:child_process";
import { stat } from "node:fs/promises";
import * as path from "node:path";
import { besideInterpreter, executableName } from "./discovery";

/** A first start may compile byte code on a slow disk. */
const VERSION_TIMEOUT_MS = 15_000;
/** Of what a program prints; more is not read. */
const MOST_BYTES = 4096;
const SAID_CHARS = 60;

/** Names the program at the path that it is about, and what is wrong with it. */
export class NotSurveyorError extends Error {}

/** The version that a command says it has. Throws `NotSurveyorError` with a sentence for the user. */
export async function versionOf(command: string, timeoutMs = VERSION_TIMEOUT_MS): Promise<string> {
  if (path.isAbsolute(command)) {
    const about = await stat(command).catch(() => undefined);
    if (!about) {
      throw new NotSurveyorError(`${command} does not exist`);
    }
    if (about.isDirectory()) {
      throw new NotSurveyorError(`${command} is a folder, not a program`);
    }
  }
  const { code, output, complaint } = await answerOf(command, timeoutMs);
  // The whole line: other programs have versions, too, and may have our name in a sentence.
  const version = /^surveyor (\d+\.\d+\S*)\s*$/m.exec(output)?.[1];
  if (version && code === 0) {
    return version;
  }
  const lastWord = complaint.trim().split("\n").at(-1) ?? "";
  if (code !== 0 && lastWord) {
    throw new NotSurveyorError(`${command} --version fails: ${clipped(lastWord)}`);
  }
  const said = output.trim().split("\n")[0] ?? "";
  throw new NotSurveyorError(
    `${command} is another program: it answers ${said ? JSON.stringify(clipped(said)) : "nothing"} to --version`,
  );
}

interface Answer {
  code: number | null;
  output: string;
  complaint: string;
}

function answerOf(command: string, timeoutMs: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // A group of its own, where there are groups: what a script has started ends with it.
    const grouped = process.platform !== "win32";
    const child = spawn(command, ["--version"], { stdio: ["ignore", "pipe", "pipe"], detached: grouped, windowsHide: true });
    let output = "";
    let complaint = "";
    const end = (): void => {
      clearTimeout(timer);
      child.stdout.destroy();
      child.stderr.destroy();
      try {
        if (child.pid !== undefined) {
          process.kill(grouped ? -child.pid : child.pid, "SIGKILL");
        }
      } catch {
        // It has ended by itself.
      }
    };
    const timer = setTimeout(() => {
      end();
      reject(new NotSurveyorError(`${command} does not answer --version within ${timeoutMs / 1000} s`));
    }, timeoutMs);
    child.stdout.on("data", (data: Buffer) => {
      output += data.toString();
      if (output.length > MOST_BYTES) {
        end();
        resolve({ code: null, output, complaint });
      }
    });
    child.stderr.on("data", (data: Buffer) => (complaint = (complaint + data.toString()).slice(-MOST_BYTES)));
    child.on("error", (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      const reasons: Record<string, string> = {
        EACCES: "may not be executed",
        ENOEXEC: "is no program that this system can execute",
        ENOENT: "cannot be started: it, or the interpreter that its first line names, does not exist",
      };
      reject(new NotSurveyorError(`${command} ${reasons[error.code ?? ""] ?? `cannot be started: ${error.message}`}`));
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code, output, complaint });
    });
  });
}

function clipped(text: string): string {
  return text.length <= SAID_CHARS ? text : `${text.slice(0, SAID_CHARS - 1)}…`;
}

/** What was pasted as a path: without quotes around it, as Windows copies one, and `file://`. */
export function pastedPath(text: string): string {
  const bare = text.trim().replace(/^(["'])(.*)\1$/, "$2");
  return bare.startsWith("file://") ? decodeURIComponent(new URL(bare).pathname) : bare;
}

/**
 * The commands that a chosen path may mean, the likeliest first: itself; what an environment, a
 * clone or a folder of programs holds; what lies beside an interpreter.
 */
export function commandsAt(chosen: string, isFolder: boolean, platform: NodeJS.Platform): string[] {
  const join = platform === "win32" ? path.win32.join : path.posix.join;
  const name = executableName(platform);
  if (isFolder) {
    const bin = platform === "win32" ? "Scripts" : "bin";
    return [[name], [bin, name], [".venv", bin, name], ["venv", bin, name]].map((parts) => join(chosen, ...parts));
  }
  const program = (platform === "win32" ? path.win32 : path.posix).basename(chosen);
  return /^python[\d.]*(\.exe)?$/i.test(program) ? [besideInterpreter(chosen, platform)] : [chosen];
}

/** The server that a chosen path means. Throws `NotSurveyorError` with a sentence for the user. */
export async function serverAt(chosen: string, timeoutMs?: number): Promise<{ command: string; version: string }> {
  if (!path.isAbsolute(chosen)) {
    throw new NotSurveyorError(`${chosen} is not an absolute path`); // relative to what?
  }
  const isFolder = (await stat(chosen).catch(() => undefined))?.isDirectory() ?? false;
  for (const command of commandsAt(chosen, isFolder, process.platform)) {
    if (!isFolder || (await stat(command).catch(() => undefined))?.isFile()) {
      return { command, version: await versionOf(command, timeoutMs) };
    }
  }
  throw new NotSurveyorError(`${chosen} is a folder without ${executableName(process.platform)} in it, its bin or its .venv`);
}
