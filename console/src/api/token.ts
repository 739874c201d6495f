/**
 * The operator's token in this browser: for this tab or, if the person wants it, for this device. It is never written
 * to an address, a title or the page.
 */

import { BASE_PATH } from "../base-path.ts";

// One host may have several gateways, each with its own base path.
const KEY = `sluicegate-token${BASE_PATH}`;

/** Why the token was dropped: the gateway doesn't accept it, or it is a session's. */
type TokenProblem = "unknown" | "session";

let held: string | null = null;
let problem: TokenProblem | null = null;
const listeners = new Set<() => void>();

/**
 * Removes a token from the address's fragment (`#token=…`), so that no history or link contains it: now, and whenever
 * another one appears.
 */
export function takeTokenFromAddress(): void {
  held = takeGiven() ?? stored();
  addEventListener("hashchange", () => {
    const given = takeGiven();
    if (given !== null) keepToken(given, false);
  });
  // Signing out of the device signs every tab out.
  addEventListener("storage", ({ key, oldValue, newValue }) => {
    if (key === KEY && newValue === null && oldValue === held) dropToken();
  });
}

/** Characters that a header may contain. */
const TOKEN = /^[\x21-\x7e]+$/;

function takeGiven(): string | null {
  const given = /^#token=([^&]*)/.exec(location.hash)?.[1];
  if (given === undefined) return null;
  history.replaceState(null, "", `${location.pathname}${location.search}`);
  const token = decode(given);
  if (!TOKEN.test(token)) return null;
  sessionStorage.setItem(KEY, token);
  return token;
}

function decode(given: string): string {
  try {
    return decodeURIComponent(given);
  } catch {
    // It isn't a token, and will be refused.
    return given;
  }
}

const stored = (): string | null => sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY);

export const currentToken = (): string | null => held;

/** Stores a token for this tab, and with `onDevice` for future tabs. */
export function keepToken(token: string, onDevice: boolean): void {
  held = token;
  problem = null;
  sessionStorage.setItem(KEY, token);
  if (onDevice) localStorage.setItem(KEY, token);
  for (const tell of listeners) tell();
}

/** Why the last token was dropped; null after signing out. */
export const tokenProblem = (): TokenProblem | null => problem;

/** Drops a token that the gateway has refused. */
export function dropRefusedToken(token: string | null, status: number): void {
  if (held === null || token !== held || (status !== 401 && status !== 403)) return;
  const kept = localStorage.getItem(KEY);
  // THREAT: any page can open a link with a wrong token, which must not sign the person out of the device.
  if (kept !== null && kept !== token) {
    keepToken(kept, false);
    return;
  }
  dropToken();
  problem = status === 401 ? "unknown" : "session";
}

/** Drops the token, here and on this device. */
export function dropToken(): void {
  held = null;
  problem = null;
  sessionStorage.removeItem(KEY);
  localStorage.removeItem(KEY);
  for (const tell of listeners) tell();
}

/** Calls the listener when the token changes. Returns a function that ends this. */
export function watchToken(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
