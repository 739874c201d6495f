/**
 * Animates list items that change their position: each is at its new position at once, and drawn from the old one to
 * there (FLIP). Not with reduced motion.
 */
import { type RefObject, useLayoutEffect, useRef } from "react";
import { isStill } from "../shell/use-media.ts";
import { itemsOf } from "./step-items.ts";

const MOVE = { duration: 400, easing: "cubic-bezier(0.3, 0, 0.2, 1)" } as const;

/** `held` is the dragged step, which follows only the pointer. */
export function useFlip(list: RefObject<HTMLElement | null>, held: number | null): void {
  const before = useRef<ReadonlyMap<number, number>>(new Map());
  // After each rendering: the content under a step may have grown as well.
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
