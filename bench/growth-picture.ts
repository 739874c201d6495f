/** Draws `docs/images/growth.svg` from a kept result of the benchmark `growth`: `node bench/growth-picture.ts FILE`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./machine.ts";
import { type Result, readResult } from "./report.ts";

const PANEL = { width: 190, height: 180 } as const;
const MARGIN = { left: 52, top: 44, right: 14, bottom: 34 } as const;
/** µs, on a logarithmic axis. */
const LOWEST = 100;
const HIGHEST = 100_000;

interface Point {
  readonly size: number;
  readonly cost: number;
}

/** The curves of a result, by what grows. */
function curvesOf({ results }: Result): ReadonlyMap<string, readonly Point[]> {
  const figures = results.find(({ benchmark }) => benchmark === "growth")?.figures ?? [];
  const points = figures.map(({ what, value }) => {
    const [kind = "", size = ""] = what.split(": ");
    return { kind, size: Number(size), cost: value };
  });
  return Map.groupBy(points, ({ kind }) => kind);
}

const share = (value: number, least: number, most: number): number =>
  Math.log(value / least) / Math.log(most / least);

const numeral = (value: number): string => value.toLocaleString("en-US");

function drawPanel([kind, points]: readonly [string, readonly Point[]], at: number): string {
  const left = MARGIN.left + at * (PANEL.width + MARGIN.left + MARGIN.right);
  const sizes = points.map(({ size }) => size);
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const x = (size: number): number => left + share(size, least, most) * PANEL.width;
  const y = (cost: number): number => MARGIN.top + (1 - share(cost, LOWEST, HIGHEST)) * PANEL.height;
  const spot = ({ size, cost }: Point): string => `${x(size).toFixed(1)},${y(cost).toFixed(1)}`;
  const lines = [100, 1000, 10_000, 100_000].map(
    (cost) =>
      `<line x1="${left}" x2="${left + PANEL.width}" y1="${y(cost)}" y2="${y(cost)}" class="grid"/>` +
      `<text x="${left - 6}" y="${y(cost) + 4}" class="cost">${numeral(cost)}</text>`,
  );
  const marks = points.map(
    (point) =>
      `<circle cx="${spot(point).replace(",", '" cy="')}" r="3"/>` +
      `<text x="${x(point.size).toFixed(1)}" y="${MARGIN.top + PANEL.height + 18}" class="size">${numeral(point.size)}</text>`,
  );
  const curve = `<polyline points="${points.map(spot).join(" ")}"/>`;
  const title = `<text x="${left}" y="${MARGIN.top - 14}" class="title">${kind}</text>`;
  return [title, ...lines, curve, ...marks].join("\n");
}

/** The picture of a result, as SVG. */
export function drawGrowth(result: Result): string {
  const panels = [...curvesOf(result)].map(drawPanel);
  const width = panels.length * (PANEL.width + MARGIN.left + MARGIN.right);
  const height = MARGIN.top + PANEL.height + MARGIN.bottom;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="CPU time of the gateway per call in microseconds, as what it works on grows">
<style>
svg { background: #fff; font: 11px sans-serif; }
.grid { stroke: #ddd; } .cost { text-anchor: end; fill: #555; } .size { text-anchor: middle; fill: #555; }
.title { font-weight: bold; fill: #222; } polyline { fill: none; stroke: #1f6feb; stroke-width: 2; } circle { fill: #1f6feb; }
</style>
${panels.join("\n")}
</svg>
`;
}

if (import.meta.main) {
  const [file = ""] = process.argv.slice(2);
  writeFileSync(join(ROOT, "docs/images/growth.svg"), drawGrowth(readResult(file)));
}
