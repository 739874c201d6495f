/** Why a path may be used without approval, or needs one: stable codes, and the core's causes. */
import type { AskCause } from "../../../core/index.ts";

/** Why a path is allowed. */
export type AllowReason = "tracked" | "not-ignored" | "root";

/** Why a path needs approval. */
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

/** Why a path may be used without approval, or needs one. The codes are stable. */
export type PathReason = AllowReason | AskReason;

/** The result of `checkPath`. `resolved` is the canonical absolute path, null if there is none. */
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

/** The core's cause for a reason. */
export const toAskCause = (reason: AskReason): AskCause => CAUSES[reason];

/** A result that requires approval. */
export const ask = (reason: AskReason, resolved: string | null = null): PathCheck & { effect: "ask" } => ({
  effect: "ask",
  reason,
  resolved,
});
