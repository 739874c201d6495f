/** The order of levels and of trust that the policy in force has. */
import { createContext, useContext } from "react";

export interface Lattice {
  /** Lowest first; empty until the gateway has answered. */
  readonly levels: readonly string[];
  readonly trust: readonly string[];
}

const NONE: readonly string[] = Object.freeze([]);

/** Given once around all pages, since every label on them asks for it. */
export const LatticeContext = createContext<Lattice>({ levels: NONE, trust: NONE });

export const useLattice = (): Lattice => useContext(LatticeContext);

export const useLevels = (): readonly string[] => useLattice().levels;
