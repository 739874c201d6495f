/** The steps of a plan as they stand on the page. */

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

/** The step that something on the page belongs to. */
export function stepAround(target: EventTarget | null): StepItem | null {
  const element = target instanceof Element ? target.closest<HTMLElement>("[data-step]") : null;
  return element === null ? null : { id: Number(element.dataset.step), element };
}
