/**
 * Owns the filter language of the search box: `lang:`, `path:`, `kind:`, `type:`, `in:`, `mode:`.
 *
 * Whatever is not one of these, complete with a value, is the query itself;
 * a word in double quotes is always query text, and a backslash is never an escape. The Neovim
 * plugin has the same rules in `lua/surveyor/query.lua`; clients/query-cases.json tests both.
 */

import { CORPORA, FILE_TYPES, MODES, type SearchMode } from "./generated/enumerations";
import type { SearchParams } from "./protocol";

export interface ParsedQuery {
  params: Omit<SearchParams, "uri" | "limit">;
  /** What the user wrote that no filter knows, one sentence each. */
  problems: string[];
}

const NAMES: Record<string, "languages" | "paths" | "kinds" | "types" | "in" | "mode"> = {
  lang: "languages",
  language: "languages",
  path: "paths",
  kind: "kinds",
  type: "types",
  in: "in",
  mode: "mode",
};

const ALLOWED: Partial<Record<string, readonly string[]>> = {
  in: CORPORA,
  types: FILE_TYPES,
  mode: MODES,
};

/** Words separated by white space, where a double quote keeps white space until the next one. */
export function words(text: string): string[] {
  return text.match(/(?:[^\s"]|"[^"]*"|")+/g) ?? [];
}

/** Modes in which white space counts. */
const EXACT: ReadonlySet<SearchMode | undefined> = new Set<SearchMode>([
  "literal",
  "regex",
  "pattern",
]);

/** What is left of a text without the words that are filters (in their order), as it was typed. */
function without(text: string, filters: readonly string[]): string {
  let at = 0;
  for (const word of filters) {
    at = text.indexOf(word, at);
    text = text.slice(0, at) + text.slice(at + word.length).replace(/^\s/, "");
  }
  return text.trim();
}

/** Splits what was typed into query text and filters; `usual` is the mode where none is said. */
export function parseQuery(text: string, usual?: SearchMode): ParsedQuery {
  const rest: string[] = [];
  const filters: string[] = [];
  const problems: string[] = [];
  const params: ParsedQuery["params"] = { query: "" };
  for (const word of words(text)) {
    const match = /^(-?)([a-z]+):(.*)$/.exec(word);
    const field = match ? NAMES[match[2] ?? ""] : undefined;
    if (!match || !field || (match[1] === "-" && field !== "paths")) {
      rest.push(word);
      continue;
    }
    filters.push(word);
    const exclude = match[1] === "-" ? "!" : "";
    const values = (match[3] ?? "")
      .split(",")
      .map((value) => value.replaceAll('"', "").trim())
      .filter((value) => value !== "");
    const allowed = ALLOWED[field];
    for (const value of values) {
      if (allowed && !allowed.includes(value)) {
        problems.push(`${match[2]}:${value} is unknown; it takes ${allowed.join(", ")}`);
      } else if (field === "mode") {
        params.mode = value as SearchMode;
      } else {
        (params[field] ??= []).push(exclude + value);
      }
    }
  }
  params.query = EXACT.has(params.mode ?? usual) ? without(text, filters) : rest.join(" ");
  return { params, problems };
}
