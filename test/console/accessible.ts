/** What accessibility asks of a page, in a form that a test can compare with nothing. */
import axe from "axe-core";
import type { Page } from "playwright-core";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Rules that no tag has by itself: what is said of a control has what is written on it. */
const RULES = { "label-content-name-mismatch": { enabled: true } };

/** What axe finds wrong, as `rule: where`. */
export async function violationsOf(page: Page): Promise<string[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe.source);
  const run = `axe.run(document, { runOnly: ${JSON.stringify(TAGS)}, rules: ${JSON.stringify(RULES)} }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) =>
      id + ": " + target.join(" ") + " " + failureSummary.replaceAll("\\n", " "))))`;
  return page.evaluate(run);
}

/** Whether the page can be scrolled sideways: what is wider than it must scroll by itself. */
export const scrollsSideways = (page: Page): Promise<boolean> =>
  page.evaluate("document.scrollingElement.scrollWidth > document.documentElement.clientWidth");

/** What Tab reaches, and what it should have. */
export interface Tabbing {
  /** Those that Tab never came to, as they begin in HTML. */
  readonly missed: readonly string[];
  /** Those that had the focus without showing it. */
  readonly unmarked: readonly string[];
  readonly reached: number;
}

/** Behind a modal dialog nothing is to be reached. */
const COLLECT = `
  const root = document.querySelector("dialog:modal") ?? document;
  globalThis.tabbing = [...root.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")]
    .filter((element) => element.tabIndex >= 0 && !element.disabled && element.checkVisibility() &&
      !element.closest("[inert]"))
    .map((element) => ({ element, look: lookOf(element) }));
  function lookOf(element) {
    const { outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor, backgroundColor, textDecorationLine } =
      getComputedStyle(element);
    return [outlineStyle === "none" ? "" : outlineStyle + outlineWidth + outlineColor,
      boxShadow, borderColor, backgroundColor, textDecorationLine].join();
  }
  globalThis.atFocus = () => {
    const element = document.activeElement;
    const at = globalThis.tabbing.findIndex((one) => one.element === element);
    const box = element.getBoundingClientRect();
    const isInView = box.bottom > 0 && box.top < innerHeight;
    return { at, isMarked: at >= 0 && lookOf(element) !== globalThis.tabbing[at].look && isInView };
  };
  globalThis.tabbing.map(({ element }) => element.outerHTML.slice(0, 120))`;

/** Presses Tab through a page, from its beginning. */
export async function tabThrough(page: Page): Promise<Tabbing> {
  await page.evaluate("document.activeElement?.blur()");
  const all: string[] = await page.evaluate(COLLECT);
  const reached = new Set<number>();
  const unmarked: string[] = [];
  for (let presses = 0; presses < all.length + 5; presses += 1) {
    await page.keyboard.press("Tab");
    const { at, isMarked }: { at: number; isMarked: boolean } = await page.evaluate("globalThis.atFocus()");
    if (at < 0 || reached.has(at)) continue;
    reached.add(at);
    if (!isMarked) unmarked.push(all[at] ?? "");
  }
  // Of parts that are reached as one, which one it is goes with the focus.
  const wanted: boolean[] = await page.evaluate("tabbing.map(({ element }) => element.tabIndex >= 0)");
  const missed = all.filter((_, at) => wanted[at] && !reached.has(at));
  return { missed, unmarked, reached: reached.size };
}
