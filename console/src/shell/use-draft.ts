/** A text in the address that a person edits faster than the address changes. */
import { useCallback, useLayoutEffect, useRef, useState } from "react";

/** How long the address may take to become the text written last. */
const SETTLING_MS = 400;

/**
 * The text as it is edited, and how to change it. `outer` is the text in the address: a change from elsewhere (a
 * link, Back) replaces the draft, but a change that is still on its way from the draft doesn't.
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
