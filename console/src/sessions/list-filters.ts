/** The filters of the list of sessions, as the address has them and as the gateway is asked. */
import type { SessionFilters } from "../api/queries.ts";

/** Closed sessions are left out unless they are asked for. */
export function toQuery({ closed, ...filters }: SessionFilters): SessionFilters {
  return closed === true ? filters : { ...filters, closed: false };
}

/** The address's filters with some changed; what is empty or off isn't there. */
export function changeFilters(filters: SessionFilters, change: SessionFilters): SessionFilters {
  const entries = Object.entries({ ...filters, ...change });
  return Object.fromEntries(entries.filter(([, value]) => value !== "" && value !== false));
}

export const hasFilters = (filters: SessionFilters): boolean =>
  Object.keys(changeFilters(filters, {})).length > 0;
