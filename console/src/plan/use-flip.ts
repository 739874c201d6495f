/**
 * Moves what changes its place in a list before one's eyes: it stands at its new place at once, and is drawn from its
 * old one to there (FLIP). Nothing moves for whoever asked for stillness.
 */
import { type RefObject, useLayoutEffect, useRef } from "react";
import { isStill } from "../shell/use-media.ts";
import { itemsOf } from "./step-items.ts";

const MOVE = { duration: 400, easing: "cubic-bezier(0.3, 0, 0.2, 1)" } as const;

/** `held` is the step that a pointer has, which follows that alone. */
export function useFlip(list: RefObject<HTMLElement | null>, held: number | null): void {
  const before = useRef<ReadonlyMap<number, number>>(new Map());
  // After each rendering: what is under a step may have grown as well.
  useLayoutEffect(() => {
    const items = itemsOf(list.current);
    const moves = items.flatMap(({ id, element }) => {
      const was = before.current.get(id);
      const by = was === undefined ? 0 : was - element.offsetTop;
      return by === 0 || id === held ? [] : [{ element, by }];
    });
    const order = items.map(({ id }) => id).join();
    const isMoved = order !== [...before.current.keys()].join();
    before.current = new Map(items.map(({ id, element }) => [id, element.offsetTop]));
    if (!isMoved || isStill()) return;
    for (const { element, by } of moves) {
      element.animate([{ transform: `translateY(${by}px)` }, { transform: "none" }], MOVE);
    }
  });
}
