/** The policy's order of levels and of trust. */
import { createContext, useContext } from "react";

export interface Lattice {
  /** Lowest first; empty until the gateway has answered. */
  readonly levels: readonly string[];
  readonly trust: readonly string[];
}

const NONE: readonly string[] = Object.freeze([]);

/** Provided around all pages, since every label on them uses it. */
export const LatticeContext = createContext<Lattice>({ levels: NONE, trust: NONE });

export const useLattice = (): Lattice => useContext(LatticeContext);

export const useLevels = (): readonly string[] => useLattice().levels;
