/** Owns which language servers can be offered for installing. Pure. */

/** An item of `surveyor servers list --json`. */
export interface KnownServer {
  language: string;
  server: string;
  /** Null where it is not found here. */
  path: string | null;
  /** `surveyor` where Surveyor can install it, else a sentence. */
  install: string;
}

export interface ServerChoice {
  language: string;
  server: string;
  isOurs: boolean;
  how: string;
}

/** Servers of languages that have none here, those first that Surveyor can install. */
export function choicesOf(known: readonly KnownServer[], language?: string): ServerChoice[] {
  const served = new Set(known.filter((each) => each.path !== null).map((each) => each.language));
  return known
    .filter((each) => (language === undefined ? !served.has(each.language) : each.language === language && each.path === null))
    .map((each) => ({ language: each.language, server: each.server, isOurs: each.install === "surveyor", how: each.install }))
    .sort((a, b) => Number(b.isOurs) - Number(a.isOurs));
}
