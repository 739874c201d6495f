/** How long ended sessions are kept, and what happens to them then. */
import { z } from "zod";
import { quote } from "../document/quote.ts";
import type { Report } from "../document/report.ts";
import { child, type Tree } from "../document/tree.ts";
import { described, duration, map, toSeconds } from "./shape.ts";

const retentionSchema = map("`retention`", {
  ended: duration.meta({
    description: "How long a session is kept in the store after it ended, such as `90d`; a day at least.",
  }),
  action: described(
    z.enum(["archive", "delete"], { error: "`archive` or `delete`" }),
    "Whether its entries are moved into a file beside the store, or deleted for good. Left out: `archive`.",
  ),
});

export const retentionKeys = {
  retention: described(retentionSchema, "How long ended sessions are kept in the store. Left out: for ever."),
};

const DAY = 86_400;

export function checkRetention(root: Tree, report: Report): void {
  const ended = child(child(root, "retention"), "ended");
  if (ended?.kind !== "scalar" || ended.unresolved) return;
  if (typeof ended.value !== "string" && typeof ended.value !== "number") return;
  if (ended.value === "" || ended.value === Number.POSITIVE_INFINITY) return;
  const seconds = toSeconds(ended.value);
  // A unit that was forgotten must not cost what is still needed.
  if (seconds === null || seconds < DAY)
    report.add(ended.at, `\`ended\` is no day or longer: ${quote(ended.written)}.`, "Write it as in `90d`.");
}

export interface RetentionConfig {
  readonly endedMs: number;
  readonly action: "archive" | "delete";
}

export function toRetention(document: z.infer<typeof retentionSchema> | undefined): RetentionConfig | null {
  if (document === undefined) return null;
  const seconds = toSeconds(document.ended);
  return seconds === null
    ? null
    : Object.freeze({ endedMs: seconds * 1000, action: document.action ?? "archive" });
}
