/** Whether a media query holds, as it changes. */
import { useCallback, useSyncExternalStore } from "react";

export function useMedia(query: string): boolean {
  const watch = useCallback(
    (listener: () => void) => {
      const media = matchMedia(query);
      media.addEventListener("change", listener);
      return () => media.removeEventListener("change", listener);
    },
    [query],
  );
  return useSyncExternalStore(watch, () => matchMedia(query).matches);
}

/** Whether whoever looks at the page has asked for stillness. */
export const isStill = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;
