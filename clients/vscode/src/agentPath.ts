/** Owns the picture of one session's path through the code, as SVG. Pure. */

import type { AgentCall, AgentPlace } from "./protocol";

const WIDTH = 260;
const HEIGHT = 44;
const GAP_X = 60;
const GAP_Y = 30;
const COLUMNS = 4;
const MOST_FILES = 60;
const LABEL_CHARS = 34;

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

/** The picture; its colours are those of the theme, by VS Code's variables. */
export function svgOf({ steps, ways }: AgentPath): string {
  const rows = Math.max(1, Math.ceil(steps.length / COLUMNS));
  const width = COLUMNS * (WIDTH + GAP_X) + GAP_X;
  const height = rows * (HEIGHT + GAP_Y) + GAP_Y;
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(described(steps))}">`,
    '<defs><marker id="end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 0 8 4 0 8z" class="end"/></marker></defs>',
  ];
  for (const way of ways) {
    const from = cornerOf(way.from);
    const to = cornerOf(way.to);
    const start = { x: from.x + WIDTH / 2, y: from.y + HEIGHT / 2 };
    const end = edgeOf(start, to);
    parts.push(
      `<path class="way" marker-end="url(#end)" d="M${start.x} ${start.y} L${end.x} ${end.y}"><title>${escaped(way.tool)}</title></path>`,
    );
  }
  steps.forEach((step, number) => {
    const { x, y } = cornerOf(number);
    const kind = step.edits > 0 ? "edited" : "read";
    parts.push(
      `<g class="step ${kind}" tabindex="0" role="button" data-step="${number}" aria-label="${escaped(`${step.path}, ${saidOf(step)}`)}">`,
      `<title>${escaped(step.path)}</title>`,
      `<rect x="${x}" y="${y}" width="${WIDTH}" height="${HEIGHT}" rx="5"/>`,
      `<text x="${x + 10}" y="${y + 18}" class="name">${number + 1}. ${escaped(clipped(step.path))}</text>`,
      `<text x="${x + 10}" y="${y + 35}" class="said">${escaped(saidOf(step))}</text></g>`,
    );
  });
  return [...parts, "</svg>"].join("");
}

function cornerOf(number: number): { x: number; y: number } {
  const row = Math.floor(number / COLUMNS);
  const column = row % 2 === 0 ? number % COLUMNS : COLUMNS - 1 - (number % COLUMNS);
  return { x: GAP_X + column * (WIDTH + GAP_X), y: GAP_Y + row * (HEIGHT + GAP_Y) };
}

/** Where a line from a point to the middle of a box meets its edge. */
function edgeOf(start: { x: number; y: number }, corner: { x: number; y: number }): { x: number; y: number } {
  const middle = { x: corner.x + WIDTH / 2, y: corner.y + HEIGHT / 2 };
  const dx = start.x - middle.x;
  const dy = start.y - middle.y;
  const scale = Math.min(
    dx === 0 ? Infinity : WIDTH / 2 / Math.abs(dx),
    dy === 0 ? Infinity : HEIGHT / 2 / Math.abs(dy),
  );
  return { x: Math.round(middle.x + dx * scale), y: Math.round(middle.y + dy * scale) };
}

function saidOf(step: PathStep): string {
  const times = (count: number, what: string): string[] => (count > 1 ? [`${what} ${count} times`] : count ? [what] : []);
  return [...times(step.edits, "edited"), ...times(step.reads, "read")].join(", ");
}

function described(steps: PathStep[]): string {
  return `The session's path: ${steps.map((step) => `${step.path} ${saidOf(step)}`).join("; ")}`;
}

function clipped(path: string): string {
  return path.length <= LABEL_CHARS ? path : `…${path.slice(1 - LABEL_CHARS)}`;
}

export function escaped(text: string): string {
  const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
