/**
 * The operator's token in this browser: for this tab, or for this device where the person says so. It is never
 * written into an address, a title or the page.
 */

import { BASE_PATH } from "../base-path.ts";

// One host may have several gateways, each below a path of its own.
const KEY = `sluicegate-token${BASE_PATH}`;

/** Why a token that was held is held no more: the gateway doesn't know it, or it is a session's. */
export type TokenProblem = "unknown" | "session";

let held: string | null = null;
let problem: TokenProblem | null = null;
const listeners = new Set<() => void>();

/**
 * Takes a token that came in the address's fragment (`#token=…`) out of it, so that no history or link has it: now,
 * and whenever another one comes while the page is open.
 */
export function takeTokenFromAddress(): void {
  held = takeGiven() ?? stored();
  addEventListener("hashchange", () => {
    const given = takeGiven();
    if (given !== null) keepToken(given, false);
  });
  // Who signs out of the device does so in every tab.
  addEventListener("storage", ({ key, oldValue, newValue }) => {
    if (key === KEY && newValue === null && oldValue === held) dropToken();
  });
}

/** What can stand in a request's header. */
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
    // It is no token of ours then, and is refused as one.
    return given;
  }
}

const stored = (): string | null => sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY);

export const currentToken = (): string | null => held;

/** Keeps a token for this tab, and with `onDevice` for tabs to come. */
export function keepToken(token: string, onDevice: boolean): void {
  held = token;
  problem = null;
  sessionStorage.setItem(KEY, token);
  if (onDevice) localStorage.setItem(KEY, token);
  for (const tell of listeners) tell();
}

/** Why the token that was held last is held no more; null where the person has signed out. */
export const tokenProblem = (): TokenProblem | null => problem;

/** Forgets a token by which the gateway has answered so to a question that the operator may ask. */
export function dropRefusedToken(token: string | null, status: number): void {
  if (held === null || token !== held || (status !== 401 && status !== 403)) return;
  const kept = localStorage.getItem(KEY);
  // THREAT: every page can open a link that has a wrong token, and would sign the person out of the device.
  if (kept !== null && kept !== token) {
    keepToken(kept, false);
    return;
  }
  dropToken();
  problem = status === 401 ? "unknown" : "session";
}

/** Forgets the token, here and on this device. */
export function dropToken(): void {
  held = null;
  problem = null;
  sessionStorage.removeItem(KEY);
  localStorage.removeItem(KEY);
  for (const tell of listeners) tell();
}

/** Calls back when the token is another. Returns how to stop. */
export function watchToken(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
