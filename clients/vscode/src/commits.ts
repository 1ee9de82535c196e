/** Owns how commits that changed a piece of code are written out. Pure. */

import type { CodeCommit } from "./protocol";

/** What stood there before a commit and after it, from a diff that has all lines of the code. */
export function sidesOf(diff: string): { before: string; after: string } {
  const before: string[] = [];
  const after: string[] = [];
  for (const line of diff.split("\n")) {
    const text = line.slice(1);
    if (line.startsWith("@@")) {
      if (before.length + after.length > 0) {
        before.push("⋯"); // lines between two parts are not the code's
        after.push("⋯");
      }
    } else if (line.startsWith("-")) {
      before.push(text);
    } else if (line.startsWith("+")) {
      after.push(text);
    } else if (!line.startsWith("\\")) {
      before.push(text);
      after.push(text);
    }
  }
  return { before: before.join("\n"), after: after.join("\n") };
}

export function shortId(commit: CodeCommit): string {
  return commit.commit.slice(0, 8);
}

/** Where the code came from, where that is more than its earlier lines. */
export function originOf(commit: CodeCommit): string {
  return [
    commit.introduced ? "introduced here" : "",
    commit.renamedFrom ? `renamed from ${commit.renamedFrom}` : "",
    commit.movedFrom ? `moved from ${commit.movedFrom}` : "",
  ]
    .filter(Boolean)
    .join(", ");
}

export function sizeOf(commit: CodeCommit): string {
  return `+${commit.added} −${commit.removed}`;
}
