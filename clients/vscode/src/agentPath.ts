/** Owns one session's path through the code, as a graph. Pure. */

import type { Graph } from "./graphPage/graph";
import type { AgentCall, AgentPlace } from "./protocol";

const MOST_FILES = 60;

/** A file on the way, in the order in which the session came to it. */
export interface PathStep {
  path: string;
  reads: number;
  edits: number;
  /** What is opened when the box is chosen: the last place that was changed, else read. */
  place: AgentPlace;
}

export interface AgentPath {
  steps: PathStep[];
  /** From one step to another, by their numbers, and the tool by which it was come to. */
  ways: { from: number; to: number; tool: string }[];
}

export function pathOf(calls: AgentCall[]): AgentPath {
  const numbers = new Map<string, number>();
  const steps: PathStep[] = [];
  const ways = new Map<string, { from: number; to: number; tool: string }>();
  let before: number | undefined;
  for (const call of calls) {
    for (const place of call.places) {
      let number = numbers.get(place.uri);
      if (number === undefined) {
        if (steps.length >= MOST_FILES) {
          continue;
        }
        number = steps.push({ path: place.path, reads: 0, edits: 0, place }) - 1;
        numbers.set(place.uri, number);
      }
      const step = steps[number];
      if (!step) {
        continue;
      }
      if (place.kind === "edited") {
        step.edits++;
        step.place = place;
      } else {
        step.reads++;
        step.place = step.edits > 0 ? step.place : place;
      }
      if (before !== undefined && before !== number) {
        const key = `${before} ${number}`;
        ways.set(key, ways.get(key) ?? { from: before, to: number, tool: call.tool });
      }
      before = number;
    }
  }
  return { steps, ways: [...ways.values()] };
}

/** The path as the page of a graph draws it. */
export function graphOfPath(path: AgentPath, title: string, note: string): Graph {
  return {
    title,
    note: path.steps.length > 0 ? note : "It has read and changed no file yet.",
    out: "Then",
    into: "Before",
    nodes: path.steps.map((step, number) => ({
      name: `${number + 1}. ${step.path}`,
      detail: saidOf(step),
      mark: step.edits > 0 ? "edited" : "",
    })),
    edges: path.ways.map((way) => ({ source: way.from, target: way.to, about: way.tool })),
  };
}

function saidOf(step: PathStep): string {
  const times = (count: number, what: string): string[] => (count > 1 ? [`${what} ${count} times`] : count ? [what] : []);
  return [...times(step.edits, "edited"), ...times(step.reads, "read")].join(", ");
}
