/** Owns saying in a sentence why `venv` or `pip` failed. Pure. */

/** What pip writes of a package index that it cannot talk to, and what that means. */
const UNREACHABLE: [RegExp, string][] = [
  [/CERTIFICATE_VERIFY_FAILED|SSLError|certificate verify failed/, "its certificate is not trusted here"],
  [/ProxyError|Tunnel connection failed/, "the proxy refuses the connection"],
  [/NameResolutionError|Name or service not known|Temporary failure in name resolution|getaddrinfo failed|nodename nor servname/, "its name is not known here"],
  [/Connection refused|ConnectionRefusedError|actively refused/, "it refuses the connection"],
  [/ConnectTimeoutError|ReadTimeoutError|timed out/, "it does not answer"],
  [/NewConnectionError|Network is unreachable|No route to host|ConnectionResetError|Connection aborted/, "there is no connection to it"],
];

/** Why the package index cannot be reached, as far as these lines tell it. */
export function unreachable(lines: readonly string[]): string | undefined {
  const said = lines.filter((line) => /Retrying \(|Could not fetch URL|Error|error/.test(line)).join("\n");
  const why = UNREACHABLE.find(([pattern]) => pattern.test(said))?.[1];
  return why && `the package index cannot be reached: ${why}`;
}

/** The last line that is so. */
function lastOf(lines: readonly string[], isMeant: (line: string) => boolean): string | undefined {
  return [...lines].reverse().find(isMeant);
}

/** What went wrong by the lines that a step wrote; undefined where they do not tell it. */
export function failureOf(lines: readonly string[], requirement: string): string | undefined {
  const all = lines.join("\n");
  if (/ensurepip is not available|No module named '?(ensurepip|venv|pip)/.test(all)) {
    return "this Python cannot make environments: its venv or pip is missing (on Debian: apt install python3-venv)";
  }
  if (/No space left on device|Errno 28/.test(all)) {
    return "the disk is full";
  }
  if (/Permission denied|Errno 13|Read-only file system/.test(all)) {
    return lastOf(lines, (line) => /Permission denied|Errno 13|Read-only file system/.test(line));
  }
  if (/requires a different Python|Requires-Python/.test(all) && /No matching distribution/.test(all)) {
    return `there is no ${requirement} for this version of Python`;
  }
  if (/No matching distribution|Could not find a version/.test(all)) {
    return unreachable(lines) ?? `the package index has no ${requirement}`;
  }
  return unreachable(lines) ?? lastOf(lines, (line) => /^\s*error\b/i.test(line)) ?? lastOf(lines, (line) => line.trim() !== "");
}
