/** The filters of the list of sessions, in the address and in requests. */
import type { SessionFilters } from "../api/queries.ts";

/** Closed sessions are left out unless they are requested. */
export function toQuery({ closed, ...filters }: SessionFilters): SessionFilters {
  return closed === true ? filters : { ...filters, closed: false };
}

/** The address's filters with changes; empty ones are removed. */
export function changeFilters(filters: SessionFilters, change: SessionFilters): SessionFilters {
  const entries = Object.entries({ ...filters, ...change });
  return Object.fromEntries(entries.filter(([, value]) => value !== "" && value !== false));
}

export const hasFilters = (filters: SessionFilters): boolean =>
  Object.keys(changeFilters(filters, {})).length > 0;
