/** The order of levels and of trust that the policy in force has. */
import { useQuery } from "@tanstack/react-query";
import { policyQuery } from "./queries.ts";

const NONE: readonly string[] = Object.freeze([]);

/** Each lowest first; empty until the gateway has answered. */
export function useLattice(): { readonly levels: readonly string[]; readonly trust: readonly string[] } {
  const { data } = useQuery(policyQuery());
  return { levels: data?.levels ?? NONE, trust: data?.trust ?? NONE };
}

export const useLevels = (): readonly string[] => useLattice().levels;
