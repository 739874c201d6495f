/**
 * The operator's token in this browser: for this tab, or for this device where the person says so. It is never
 * written into an address, a title or the page.
 */

const KEY = "sluicegate-token";

let held: string | null = null;
const listeners = new Set<() => void>();

/** Takes a token that came in the address's fragment (`#token=…`) out of it, so that no history or link has it. */
export function takeTokenFromAddress(): void {
  const given = /^#token=([^&]+)$/.exec(location.hash)?.[1];
  held = given === undefined ? stored() : decodeURIComponent(given);
  if (given === undefined) return;
  history.replaceState(null, "", `${location.pathname}${location.search}`);
  if (held !== null) sessionStorage.setItem(KEY, held);
}

const stored = (): string | null => sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY);

export const currentToken = (): string | null => held;

/** Keeps a token for this tab, and with `onDevice` for tabs to come. */
export function keepToken(token: string, onDevice: boolean): void {
  held = token;
  sessionStorage.setItem(KEY, token);
  if (onDevice) localStorage.setItem(KEY, token);
  for (const tell of listeners) tell();
}

/** Forgets the token, here and on this device. */
export function dropToken(): void {
  held = null;
  sessionStorage.removeItem(KEY);
  localStorage.removeItem(KEY);
  for (const tell of listeners) tell();
}

/** Calls back when the token is another. Returns how to stop. */
export function watchToken(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
