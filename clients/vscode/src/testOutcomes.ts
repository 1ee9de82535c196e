/** Owns which tests are related to a definition, and what became of each in a run. Pure. */

import type { FailedPlace, ImpactItem, TestAnswer } from "./protocol";

/** One test, or, where it has no name, a file of them. */
export interface RunItem {
  uri: string;
  name: string;
}

export type Outcome = { state: "passed" | "skipped" } | { state: "failed" | "errored"; failures: Pick<FailedPlace, "uri" | "range" | "message" | "test">[] };

/** Names that a language's own runner takes for tests; elsewhere any definition may be one. */
const TEST_NAMES: Readonly<Record<string, RegExp>> = {
  py: /(^|\.)[Tt]est[^.]*$/,
  go: /^(Test|Benchmark|Example|Fuzz)/,
};

/**
 * The tests among what depends on a definition: a file as a whole where only helpers of its tests are
 * known to. What other tests go through is a helper.
 */
export function testsOf(inbound: readonly ImpactItem[]): ImpactItem[] {
  const tests = inbound.filter((item) => item.isTest);
  const between = new Set(tests.flatMap((item) => item.via ?? []));
  const isTest = (item: ImpactItem): boolean => {
    const path = decodeURIComponent(item.uri);
    const names = TEST_NAMES[path.split(".").pop() ?? ""];
    const isBetween = [...between].some((via) => path.endsWith(`/${via.split("::")[0] ?? ""}`) && via.endsWith(`::${item.name}`));
    return item.name !== "" && !isBetween && (names === undefined || names.test(item.name));
  };
  const named = tests.filter(isTest);
  const files = new Set(named.map((item) => item.uri));
  const start = { line: 0, character: 0 };
  for (const item of tests) {
    if (!files.has(item.uri)) {
      files.add(item.uri);
      named.push({ ...item, name: "", range: { start, end: start } });
    }
  }
  return named;
}

/** Whether a failure is a test's: by the definition around it, or by what the runner calls it. */
export function isOf(failure: FailedPlace, item: RunItem): boolean {
  if (failure.uri === item.uri && failure.symbol === item.name) {
    return true;
  }
  return says(failure.test, item.name.split(/\.|::/).pop() ?? item.name);
}

function says(text: string, name: string): boolean {
  const word = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(^|[^\\p{L}\\p{N}_])${word}($|[^\\p{L}\\p{N}_])`, "u").test(text);
}

const START = { line: 0, character: 0 };

function noPlace(message: string): Pick<FailedPlace, "uri" | "range" | "message" | "test"> {
  return { uri: "", range: { start: START, end: START }, message, test: "" };
}

/** Whether a failure may be of an item's file: it is there, or names it, or names none that was run. */
function mayBeIn(failure: FailedPlace, item: RunItem, items: readonly RunItem[]): boolean {
  const names = ({ uri }: RunItem): boolean => says(failure.test, (decodeURIComponent(uri).split("/").pop() ?? "").replace(/\.\w+$/, ""));
  return failure.uri === "" ? names(item) || !items.some(names) : failure.uri === item.uri;
}

/**
 * What became of tests that were run together: none is said to have passed where a failure could not
 * be told to be another's.
 */
export function outcomesOf(answer: TestAnswer, items: readonly RunItem[]): Map<RunItem, Outcome> {
  const failuresOf = new Map(items.map((item) => [item, answer.failures.filter((failure) => item.name !== "" && isOf(failure, item))]));
  const told = new Set([...failuresOf.values()].flat());
  const rest = answer.failures.filter((failure) => !told.has(failure));
  const ranNothing = answer.passed + answer.failed + answer.skipped === 0;
  const refused = (item: RunItem): string | undefined => answer.notRun.find((each) => decodeURIComponent(item.uri).endsWith(`/${each.split(": ")[0] ?? ""}`));
  return new Map(
    items.map((item): [RunItem, Outcome] => {
      const own = failuresOf.get(item) ?? [];
      const reason = refused(item);
      const near = rest.filter((failure) => mayBeIn(failure, item, items));
      if (own.length > 0) {
        return [item, { state: "failed", failures: own }];
      }
      if (reason) {
        return [item, { state: "errored", failures: [noPlace(reason)] }];
      }
      if (near.length > 0) {
        return [item, { state: item.name === "" ? "failed" : "errored", failures: near }];
      }
      if (!answer.ok && answer.failures.length === 0) {
        return [item, { state: "errored", failures: [noPlace(answer.output || "The run did not end well.")] }];
      }
      return [item, { state: ranNothing || (items.length === 1 && answer.passed === 0) ? "skipped" : "passed" }];
    }),
  );
}
