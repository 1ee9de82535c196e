/**
 * Owns the page of a graph, in a webview and as a file of its own: zoom, search, a list beside it,
 * and the keyboard. Everything that it shows comes as text and becomes text, never as markup.
 */

import { select } from "d3-selection";
import { zoom, zoomIdentity } from "d3-zoom";
import type { Graph, GraphMember, PageMessage } from "./graph";
import { fitted, HEIGHT, layoutOf, type Layout } from "./layout";
import css from "./page.css";

declare function acquireVsCodeApi(): { postMessage(message: PageMessage): void };

const SVG = "http://www.w3.org/2000/svg";
const host = typeof acquireVsCodeApi === "function" ? acquireVsCodeApi() : undefined;

function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  text = "",
  attributes: Record<string, string> = {},
  ...children: Node[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

function shape(name: string, attributes: Record<string, string | number>, text = ""): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, String(value));
  }
  made.textContent = text;
  return made;
}

/** A button whose name is what stands on it, or, where that is no word, what it is about. */
function button(label: string, about: string, run: () => void): HTMLButtonElement {
  const isWord = /\p{L}/u.test(label);
  const made = element("button", label, { type: "button", title: about, ...(isWord ? {} : { "aria-label": about }) });
  made.addEventListener("click", run);
  return made;
}

class GraphPage {
  private graph: Graph = { title: "", note: "", out: "", into: "", nodes: [], edges: [] };
  private layout: Layout = { boxes: [], lines: [], width: 0, height: 0 };
  private boxes: SVGElement[] = [];
  private lines: SVGElement[] = [];
  private chosen = -1;
  /** The box that Tab comes to. */
  private current = 0;
  private readonly title = element("h1");
  private readonly note = element("p");
  private readonly found = element("small", "", { role: "status" });
  private readonly search = element("input", "", { type: "search", placeholder: "Search", "aria-label": "Search in the graph" });
  private readonly svg = shape("svg", { role: "group" }) as SVGSVGElement;
  private readonly drawing = shape("g", {});
  private readonly aside = element("aside", "", { "aria-label": "List" });
  private readonly about = element("section");
  private readonly list = element("section");
  private readonly lists = button("List", "Show or hide the list", () => this.showList(this.aside.hidden));
  private readonly zoomed = zoom<SVGSVGElement, unknown>()
    .scaleExtent([0.05, 4])
    .on("zoom", (event: { transform: { toString(): string } }) => this.drawing.setAttribute("transform", event.transform.toString()));

  constructor() {
    const tools = element("div", "", { class: "tools" }, this.found, this.search);
    tools.append(
      button("−", "Zoom out", () => this.scale(1 / 1.3)),
      button("+", "Zoom in", () => this.scale(1.3)),
      button("Fit", "Show everything", () => this.fit()),
      this.lists,
    );
    const arrow = shape("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" });
    arrow.append(shape("path", { d: "M0 0 8 4 0 8z", class: "arrow" }));
    const definitions = shape("defs", {});
    definitions.append(arrow);
    this.svg.append(definitions, this.drawing);
    this.aside.append(this.about, this.list);
    document.body.append(
      element("header", "", {}, element("div", "", {}, this.title, this.note), tools),
      element("main", "", {}, this.svg, this.aside),
    );
    this.showList(true);
    select(this.svg).call(this.zoomed).on("dblclick.zoom", null);
    this.search.addEventListener("input", () => this.mark());
    this.search.addEventListener("keydown", (event) => this.inSearch(event));
    this.svg.addEventListener("keydown", (event) => this.inGraph(event));
  }

  private showList(isShown: boolean): void {
    this.aside.hidden = !isShown;
    this.lists.setAttribute("aria-expanded", String(isShown));
  }

  show(graph: Graph): void {
    const isFirst = this.graph.nodes.length === 0;
    this.graph = graph;
    this.layout = layoutOf(graph);
    this.chosen = -1;
    this.current = Math.max(graph.nodes.findIndex((node) => node.mark === "subject"), 0);
    document.title = graph.title;
    this.title.textContent = graph.title;
    this.note.textContent = graph.note;
    this.svg.setAttribute("aria-label", `${graph.title}. ${graph.note} Arrow keys move, Enter opens; the list has everything, too.`);
    this.draw();
    this.enumerate();
    this.mark();
    if (isFirst) {
      this.fit();
    }
  }

  private draw(): void {
    this.lines = this.graph.edges.map((edge, number) => {
      const points = this.layout.lines[number] ?? [];
      const line = shape("path", { class: "edge", "marker-end": "url(#arrow)", d: curve(points) });
      line.append(shape("title", {}, `${this.name(edge.source)} → ${this.name(edge.target)}${edge.about ? `: ${edge.about}` : ""}`));
      return line;
    });
    this.boxes = this.graph.nodes.map((node, number) => {
      const { x, y, width } = this.layout.boxes[number] ?? { x: 0, y: 0, width: 0 };
      const box = shape("g", {
        class: `node ${node.mark}`,
        transform: `translate(${x} ${y})`,
        tabindex: number === this.current ? 0 : -1,
        role: "button",
        "aria-label": [node.name, node.detail, node.mark].filter(Boolean).join(", "),
      });
      box.append(
        shape("title", {}, `${node.name}\n${node.detail}`),
        shape("rect", { width, height: HEIGHT, rx: 5 }),
        shape("text", { x: 10, y: 17 }, fitted(node.name)),
        shape("text", { x: 10, y: 33, class: "detail" }, fitted(node.detail)),
      );
      box.addEventListener("click", () => this.choose(number, true));
      box.addEventListener("focus", () => this.choose(number, false));
      return box;
    });
    this.drawing.replaceChildren(...this.lines, ...this.boxes);
  }

  private name(number: number): string {
    return this.graph.nodes[number]?.name ?? "";
  }

  /** Shows what a box is joined with; opens its place where there is someone to open it. */
  private choose(number: number, opens: boolean): void {
    this.chosen = number;
    this.boxes[this.current]?.setAttribute("tabindex", "-1");
    this.boxes[number]?.setAttribute("tabindex", "0");
    this.current = number;
    this.boxes.forEach((box, each) => box.classList.toggle("chosen", each === number));
    this.lines.forEach((line, each) => {
      const edge = this.graph.edges[each];
      line.classList.toggle("near", edge?.source === number || edge?.target === number);
    });
    this.describe(number);
    if (opens) {
      host?.postMessage({ node: number });
    }
  }

  private describe(number: number): void {
    const node = this.graph.nodes[number];
    if (!node) {
      return;
    }
    const neighbours = (from: "source" | "target", to: "source" | "target"): number[] =>
      this.graph.edges.filter((edge) => edge[from] === number).map((edge) => edge[to]);
    this.about.replaceChildren(element("h2", node.name), element("small", node.detail));
    if (node.members?.length) {
      this.about.append(element("ul", "", {}, ...node.members.map((member) => this.memberItem(number, member))));
    }
    for (const [words, others] of [
      [this.graph.out, neighbours("source", "target")],
      [this.graph.into, neighbours("target", "source")],
    ] as const) {
      if (others.length > 0) {
        this.about.append(element("h2", `${words} (${others.length})`), this.items(others));
      }
    }
  }

  private memberItem(number: number, member: GraphMember): HTMLLIElement {
    const entry = element("button", `${member.line}: ${member.detail || member.name}`, { type: "button" });
    entry.addEventListener("click", () => host?.postMessage({ node: number, line: member.line }));
    return element("li", "", {}, entry);
  }

  private items(numbers: readonly number[]): HTMLUListElement {
    return element(
      "ul",
      "",
      {},
      ...numbers.map((number) => {
        const node = this.graph.nodes[number];
        const entry = element("button", "", { type: "button" }, element("span", `${node?.name ?? ""} `), element("small", node?.detail ?? ""));
        entry.addEventListener("click", () => {
          this.choose(number, true);
          this.centre(number);
        });
        return element("li", "", {}, entry);
      }),
    );
  }

  private enumerate(): void {
    const all = this.graph.nodes.map((_, number) => number);
    this.about.replaceChildren();
    this.list.replaceChildren(element("h2", `All (${all.length})`), this.items(all));
  }

  /** Boxes whose words have what is searched for. */
  private matches(): number[] {
    const wanted = this.search.value.trim().toLowerCase();
    return wanted === ""
      ? []
      : this.graph.nodes.flatMap((node, number) =>
          [node.name, node.detail, ...(node.members ?? []).map((member) => member.name)].some((text) => text.toLowerCase().includes(wanted))
            ? [number]
            : [],
        );
  }

  private mark(): void {
    const isSearched = this.search.value.trim() !== "";
    const found = new Set(this.matches());
    this.found.textContent = isSearched ? `${found.size} found` : "";
    this.boxes.forEach((box, number) => box.classList.toggle("dim", isSearched && !found.has(number)));
    this.lines.forEach((line) => line.classList.toggle("dim", isSearched));
    [...this.list.querySelectorAll("li")].forEach((item, number) => (item.hidden = isSearched && !found.has(number)));
  }

  private inSearch(event: KeyboardEvent): void {
    if (event.key === "Escape") {
      this.search.value = "";
      this.mark();
    } else if (event.key === "Enter") {
      const found = this.matches();
      const next = found.find((number) => number > this.chosen) ?? found[0];
      if (next !== undefined) {
        this.choose(next, false);
        this.centre(next);
      }
    }
  }

  private inGraph(event: KeyboardEvent): void {
    const ways: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const way = ways[event.key];
    if (event.key === "Enter" || event.key === " ") {
      this.choose(this.current, true);
    } else if (way) {
      const next = this.nearest(this.current, way);
      if (next !== undefined) {
        this.centre(next);
        (this.boxes[next] as SVGGElement | undefined)?.focus();
      }
    } else if (event.key === "+" || event.key === "=") {
      this.scale(1.3);
    } else if (event.key === "-") {
      this.scale(1 / 1.3);
    } else if (event.key === "0") {
      this.fit();
    } else {
      return;
    }
    event.preventDefault();
  }

  /** The nearest box in a direction; what lies aside counts as farther. */
  private nearest(from: number, [dx, dy]: [number, number]): number | undefined {
    const here = this.middle(from);
    let best: { number: number; distance: number } | undefined;
    this.boxes.forEach((_, number) => {
      const there = this.middle(number);
      const along = (there.x - here.x) * dx + (there.y - here.y) * dy;
      const aside = Math.abs((there.x - here.x) * dy) + Math.abs((there.y - here.y) * dx);
      const distance = along + 2 * aside;
      if (number !== from && along > 1 && (!best || distance < best.distance)) {
        best = { number, distance };
      }
    });
    return best?.number;
  }

  private middle(number: number): { x: number; y: number } {
    const box = this.layout.boxes[number] ?? { x: 0, y: 0, width: 0 };
    return { x: box.x + box.width / 2, y: box.y + HEIGHT / 2 };
  }

  private scale(by: number): void {
    select(this.svg).call((selection) => this.zoomed.scaleBy(selection, by));
  }

  private centre(number: number): void {
    const { x, y } = this.middle(number);
    select(this.svg).call((selection) => this.zoomed.translateTo(selection, x, y));
  }

  private fit(): void {
    const { width, height } = this.svg.getBoundingClientRect();
    const by = Math.min(1.2, width / Math.max(this.layout.width, 1), height / Math.max(this.layout.height, 1)) || 1;
    const x = (width - this.layout.width * by) / 2;
    const y = (height - this.layout.height * by) / 2;
    select(this.svg).call((selection) => this.zoomed.transform(selection, zoomIdentity.translate(x, y).scale(by)));
  }
}

/** A soft line over dagre's points. */
function curve(points: readonly { x: number; y: number }[]): string {
  const [first, ...others] = points;
  if (!first) {
    return "";
  }
  let path = `M${first.x} ${first.y}`;
  others.forEach((point, index) => {
    const next = others[index + 1];
    path += next ? ` Q${point.x} ${point.y} ${(point.x + next.x) / 2} ${(point.y + next.y) / 2}` : ` L${point.x} ${point.y}`;
  });
  return path;
}

const sheet = new CSSStyleSheet();
sheet.replaceSync(css);
document.adoptedStyleSheets = [sheet];
const page = new GraphPage();
const own = document.getElementById("graph")?.textContent;
if (own) {
  page.show(JSON.parse(own) as Graph);
} else {
  // A webview's messages come from its host alone.
  window.addEventListener("message", (event: MessageEvent<{ graph: Graph }>) => page.show(event.data.graph));
  host?.postMessage({ ready: true });
}
