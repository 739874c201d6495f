/**
 * Dragging steps: by mouse or pen at their head, by touch at their handle, since a finger elsewhere scrolls the page.
 * The step follows the pointer and the others make room. Escape cancels.
 */
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { isStill } from "../shell/use-media.ts";
import { dropPlace, itemsOf, stepAround } from "./step-items.ts";

interface DragHandlers {
  /** Called with the new position, from 0. */
  readonly onMove: (id: number, place: number) => void;
  readonly onEnd: (id: number, isTaken: boolean) => void;
}

interface Grip {
  readonly id: number;
  readonly pointer: number;
  /** From the step's top to the pointer. */
  readonly offset: number;
  /** Of the pointer, in the window. */
  y: number;
}

/** The distance to the window's edge at which the page scrolls, and how far. */
const EDGE_PX = 56;
const SCROLL_PX = 12;

/** Returns the dragged step. */
export function useDrag(list: RefObject<HTMLElement | null>, handlers: DragHandlers): number | null {
  const grip = useRef<Grip | null>(null);
  const newest = useRef(handlers);
  const [held, setHeld] = useState<number | null>(null);
  useLayoutEffect(() => {
    newest.current = handlers;
    // The order may have changed: draw the step at the pointer.
    if (grip.current) follow(list.current, grip.current);
  });
  useEffect(() => {
    const { current } = list;
    if (current === null) return;
    const end = (isTaken: boolean): void => {
      const { current: had } = grip;
      if (had === null) return;
      grip.current = null;
      setHeld(null);
      letGo(current, had.id);
      newest.current.onEnd(had.id, isTaken);
    };
    const listeners = {
      pointerdown: (event: PointerEvent): void => {
        const taken = grip.current === null ? takeHold(event) : null;
        if (taken === null) return;
        event.preventDefault();
        current.setPointerCapture(event.pointerId);
        grip.current = taken;
        setHeld(taken.id);
      },
      pointermove: (event: PointerEvent): void => {
        const { current: had } = grip;
        if (had === null || had.pointer !== event.pointerId) return;
        had.y = event.clientY;
        scrollAlong(event.clientY);
        const place = follow(current, had);
        if (place !== null) newest.current.onMove(had.id, place);
      },
      pointerup: (): void => end(true),
      pointercancel: (): void => end(false),
      lostpointercapture: (): void => end(false),
    };
    const takeBack = ({ key }: KeyboardEvent): void => {
      if (key === "Escape") end(false);
    };
    return listen(current, listeners, takeBack);
  }, [list]);
  return held;
}

function takeHold(event: PointerEvent): Grip | null {
  const { target, pointerType, pointerId, clientY, button } = event;
  const item = stepAround(target);
  if (item === null || button !== 0 || !(target instanceof Element)) return null;
  const isHandle = target.closest("[data-handle]") !== null;
  const isHead = target.closest("[data-head]") !== null && target.closest("button") === null;
  if (!isHandle && (pointerType === "touch" || !isHead)) return null;
  return {
    id: item.id,
    pointer: pointerId,
    offset: clientY - item.element.getBoundingClientRect().top,
    y: clientY,
  };
}

/** Draws the step at the pointer. Returns its position then, if that has changed. */
function follow(list: HTMLElement | null, { id, offset, y }: Grip): number | null {
  const items = itemsOf(list);
  const place = items.findIndex((item) => item.id === id);
  const element = items[place]?.element;
  if (list === null || element === undefined) return null;
  const top = y - offset - list.getBoundingClientRect().top;
  element.style.transform = `translateY(${top - element.offsetTop}px)`;
  const boxes = items.map((item) => ({ top: item.element.offsetTop, height: item.element.offsetHeight }));
  const next = dropPlace(boxes, place, top);
  return next === place ? null : next;
}

/** Animates it to its position. */
function letGo(list: HTMLElement, id: number): void {
  const element = itemsOf(list).find((item) => item.id === id)?.element;
  if (element === undefined) return;
  const { transform } = element.style;
  element.style.transform = "";
  if (!isStill())
    element.animate([{ transform }, { transform: "none" }], { duration: 150, easing: "ease-out" });
}

function scrollAlong(y: number): void {
  if (y < EDGE_PX) scrollBy(0, -SCROLL_PX);
  else if (y > innerHeight - EDGE_PX) scrollBy(0, SCROLL_PX);
}

type Listeners = Readonly<Record<string, (event: PointerEvent) => void>>;

function listen(
  element: HTMLElement,
  listeners: Listeners,
  takeBack: (event: KeyboardEvent) => void,
): () => void {
  const told = (event: Event): void => {
    if (event instanceof PointerEvent) listeners[event.type]?.(event);
  };
  for (const type of Object.keys(listeners)) element.addEventListener(type, told);
  addEventListener("keydown", takeBack);
  return () => {
    for (const type of Object.keys(listeners)) element.removeEventListener(type, told);
    removeEventListener("keydown", takeBack);
  };
}
