/** A text that stands in the address, and that a person edits faster than an address changes. */
import { useCallback, useLayoutEffect, useRef, useState } from "react";

/** How long the address may take to become what was written last. */
const SETTLING_MS = 400;

/**
 * The text as it is edited, and how to change it. `outer` is what the address says: what comes from there by other
 * ways (a link, a step back) replaces the draft; what was written a moment ago, and is on its way, doesn't.
 */
export function useDraft(
  outer: string,
  write: (value: string) => void,
): readonly [draft: string, change: (value: string) => void] {
  const [draft, setDraft] = useState(outer);
  const sent = useRef({ value: outer, at: Number.NEGATIVE_INFINITY });
  const newest = useRef(write);
  useLayoutEffect(() => {
    newest.current = write;
  });
  useLayoutEffect(() => {
    const { value, at } = sent.current;
    if (outer === value || performance.now() - at < SETTLING_MS) return;
    sent.current = { value: outer, at: Number.NEGATIVE_INFINITY };
    setDraft(outer);
  }, [outer]);
  const change = useCallback((value: string): void => {
    setDraft(value);
    sent.current = { value, at: performance.now() };
    newest.current(value);
  }, []);
  return [draft, change];
}
