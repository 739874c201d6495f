/** The policy's order of levels and of trust. */

import { useQuery } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useMemo } from "react";
import { policyQuery } from "./queries.ts";

export interface Lattice {
  /** Lowest first; empty until the gateway has answered. */
  readonly levels: readonly string[];
  readonly trust: readonly string[];
}

const NONE: readonly string[] = Object.freeze([]);

/** Provided around all pages, since every label on them uses it. */
const LatticeContext = createContext<Lattice>({ levels: NONE, trust: NONE });

export const useLattice = (): Lattice => useContext(LatticeContext);

export const useLevels = (): readonly string[] => useLattice().levels;

export function LatticeProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const { data } = useQuery(policyQuery());
  const [levels, trust] = [data?.levels ?? NONE, data?.trust ?? NONE];
  const lattice = useMemo(() => ({ levels, trust }), [levels, trust]);
  return <LatticeContext value={lattice}>{children}</LatticeContext>;
}
