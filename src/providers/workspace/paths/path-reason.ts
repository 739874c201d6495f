/** Why a path may be used without asking, or why a person is asked: stable codes, and what the core calls them. */
import type { AskCause } from "../../../core/index.ts";

/** Why a path is allowed. */
export type AllowReason = "tracked" | "not-ignored" | "root";

/** Why a person is asked. */
export type AskReason =
  | "outside"
  | "ignored"
  | "git-folder"
  | "not-a-repository"
  | "git-unavailable"
  | "nested-repository"
  | "special-file"
  | "several-links"
  | "protected-name"
  | "protected"
  | "missing"
  | "wrong-kind"
  | "unclear-path";

/** Why a path may be used without asking, or may not. The codes are stable. */
export type PathReason = AllowReason | AskReason;

/** What `checkPath` answers. `resolved` is the canonical absolute path, null if there is none. */
export type PathCheck =
  | { readonly effect: "allow"; readonly reason: AllowReason; readonly resolved: string }
  | { readonly effect: "ask"; readonly reason: AskReason; readonly resolved: string | null };

const CAUSES: Readonly<Record<AskReason, AskCause>> = {
  outside: "outside-workspace",
  ignored: "ignored-path",
  "git-folder": "git-folder",
  "not-a-repository": "not-a-repository",
  "git-unavailable": "git-unavailable",
  "nested-repository": "nested-repository",
  "special-file": "special-file",
  "several-links": "several-links",
  "protected-name": "protected-name",
  protected: "protected-name",
  missing: "unclear-path",
  "wrong-kind": "unclear-path",
  "unclear-path": "unclear-path",
};

/** What the core calls it. */
export const toAskCause = (reason: AskReason): AskCause => CAUSES[reason];

/** An answer that asks. */
export const ask = (reason: AskReason, resolved: string | null = null): PathCheck & { effect: "ask" } => ({
  effect: "ask",
  reason,
  resolved,
});
