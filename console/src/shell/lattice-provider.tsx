/** Provides the order of the policy's levels to all labels. */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { policyQuery } from "../api/queries.ts";
import { LatticeContext } from "../api/use-lattice.ts";

const NONE: readonly string[] = Object.freeze([]);

export function LatticeProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const { data } = useQuery(policyQuery());
  const [levels, trust] = [data?.levels ?? NONE, data?.trust ?? NONE];
  const lattice = useMemo(() => ({ levels, trust }), [levels, trust]);
  return <LatticeContext value={lattice}>{children}</LatticeContext>;
}
