/** Where the tools of a workspace work, and what none of them may touch. */
export interface Place {
  /** Canonical. */
  readonly root: string;
  /** Files, or folders with all that is in them. */
  readonly protect: readonly string[];
}
