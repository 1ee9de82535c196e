/** Owns turning the server's boxes and arrows into the page's words. Pure. */

import { counted } from "./format";
import type { Graph } from "./graphPage/graph";
import type { GraphAnswer, GraphBox, GraphSubject } from "./protocol";

const TITLES: Record<GraphSubject, string> = {
  impact: "Impact of",
  callers: "Callers of",
  callees: "Calls of",
  map: "Map of",
};

export function graphOf(about: GraphSubject, answer: GraphAnswer): Graph {
  return {
    title: `${TITLES[about]} ${answer.symbol}`,
    note: noteOf(about, answer),
    out: "Uses",
    into: "Used by",
    nodes: answer.boxes.map((box) => ({
      name: box.name || box.path,
      detail: detailOf(box),
      mark: box.isSubject ? "subject" : box.isTest ? "test" : "",
      members: box.members.map((member) => ({ name: member.name, detail: member.signature, line: member.line })),
    })),
    edges: answer.arrows.map((arrow) => ({
      source: arrow.source,
      target: arrow.target,
      ...(about === "map" ? { about: counted(arrow.uses, "use") } : {}),
    })),
  };
}

function detailOf(box: GraphBox): string {
  if (box.name) {
    return `${box.path}:${box.range.start.line + 1}`;
  }
  return box.members.length > 0 ? counted(box.members.length, "definition") : "file";
}

/** What is drawn, what is left out, and how sure it is. */
function noteOf(about: GraphSubject, answer: GraphAnswer): string {
  const drawn =
    about === "map"
      ? `${answer.boxes.length} of ${counted(answer.filesTotal, "file")}, the most important first`
      : `${counted(answer.boxes.length, "place")}, ${counted(answer.arrows.length, "arrow")}; ${answer.precision}`;
  const parts = [drawn];
  if (answer.omitted > 0) {
    parts.push(`${counted(answer.omitted, "more arrow")} left out`);
  }
  if (!answer.complete) {
    parts.push(answer.notice ? `not complete: ${answer.notice}` : "not complete");
  }
  return `${parts.join("; ")}.`;
}
