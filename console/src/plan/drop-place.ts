/** Where a step that is dragged would stand. */

export interface Box {
  /** From the list's top, without what moves it for the eye. */
  readonly top: number;
  readonly height: number;
}

/**
 * The place, from 0, of the step at place `dragged` once its top is held at `top`. Going down, its lower edge passes
 * the middle of another; going up, its upper edge does: so a step that has just moved stays, whatever the heights.
 */
export function dropPlace(boxes: readonly Box[], dragged: number, top: number): number {
  const bottom = top + (boxes[dragged]?.height ?? 0);
  const middles = boxes.map((box) => box.top + box.height / 2);
  const staying = middles.slice(0, dragged).filter((middle) => middle <= top).length;
  const passed = middles.slice(dragged + 1).filter((middle) => middle < bottom).length;
  return passed > 0 ? dragged + passed : staying;
}
