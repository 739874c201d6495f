/** An element's width, as it changes. */
import { type RefObject, useLayoutEffect, useRef, useState } from "react";

const UNKNOWN = 640;

/** A ref for the element, and its width in pixels. */
export function useWidth(): readonly [RefObject<HTMLElement | null>, number] {
  const element = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(UNKNOWN);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const measure = (): void => setWidth(Math.max(240, Math.floor(current.clientWidth)));
    // Elements out of sight are measured once they are laid out, since measuring them would force a layout each.
    if (current.checkVisibility({ contentVisibilityAuto: true })) measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}
