/** The elements of a plan's steps. */

export interface StepItem {
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
