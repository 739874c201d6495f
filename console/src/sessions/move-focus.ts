/** Moves between the rows of a list by keys. */

/** The next position; at first, the first visible one. Stays at the ends. */
export function nextPlace(current: number, step: 1 | -1, count: number, visible: number): number {
  if (current < 0) return Math.min(Math.max(visible, 0), count - 1);
  return Math.min(Math.max(current + step, 0), count - 1);
}

/** Below the page's head. */
const TOP = 60;

/** Focuses the next or previous element; the present one has the focus, or contains it. */
export function moveFocus(elements: readonly HTMLElement[], step: 1 | -1): void {
  const current = elements.findIndex((element) => element.contains(document.activeElement));
  const visible =
    current < 0 ? elements.findIndex((element) => element.getBoundingClientRect().top > TOP) : 0;
  elements[nextPlace(current, step, elements.length, visible)]?.focus();
}
