/** The elements of a plan's steps, and where a dragged one would drop. */

interface StepItem {
  readonly id: number;
  readonly element: HTMLElement;
}

/** In their order on the page. */
export function itemsOf(list: HTMLElement | null): readonly StepItem[] {
  const elements = [...(list?.children ?? [])];
  return elements.flatMap((element) =>
    element instanceof HTMLElement ? [{ id: Number(element.dataset.step), element }] : [],
  );
}

/** The step of an element on the page. */
export function stepAround(target: EventTarget | null): StepItem | null {
  const element = target instanceof Element ? target.closest<HTMLElement>("[data-step]") : null;
  return element === null ? null : { id: Number(element.dataset.step), element };
}

interface Box {
  /** From the list's top, without animation. */
  readonly top: number;
  readonly height: number;
}

/**
 * The new position, from 0, of the dragged step when its top is at `top`. Going down, its lower edge must pass the
 * middle of another step; going up, its upper edge: so a moved step doesn't move back at once.
 */
export function dropPlace(boxes: readonly Box[], dragged: number, top: number): number {
  const bottom = top + (boxes[dragged]?.height ?? 0);
  const middles = boxes.map((box) => box.top + box.height / 2);
  const staying = middles.slice(0, dragged).filter((middle) => middle <= top).length;
  const passed = middles.slice(dragged + 1).filter((middle) => middle < bottom).length;
  return passed > 0 ? dragged + passed : staying;
}
