/** How approvals are answered, and how long is waited for one. */
import { z } from "zod";
import { APPROVAL_CHANNELS, type ApprovalsDeclaration } from "../../core/index.ts";
import { quote } from "../document/quote.ts";
import type { Report } from "../document/report.ts";
import { child, type Tree, textsOf } from "../document/tree.ts";
import { described, duration, flag, map, toSeconds } from "./shape.ts";
import { approvers } from "./tools.ts";

const approvalsSchema = map("`approvals`", {
  via: described(
    z.array(z.enum(APPROVAL_CHANNELS), { error: "a list of `console`, `terminal` and `client`" }).min(1),
    "The ways to answer: the console, a terminal, the agent's own client. That one may answer without its person. Left out: console, terminal.",
  ),
  expires: described(
    duration,
    "How long an approval stays pending, and once granted, usable: in seconds, or with a unit (`90s`, `30m`, `2h`, `1d`); a week at most. Left out: an hour.",
  ),
  wait: described(
    duration,
    "How long a call is held until it is answered, in seconds or with a unit; an hour at most. Left out: 50 seconds.",
  ),
  approvers,
  own: described(flag, "Whether a principal may say yes to calls of its own sessions. Left out: it may."),
});

export const approvalKeys = {
  approvals: described(approvalsSchema, "How a person answers, and how long is waited for one."),
};

/** The bounds of the core, with how people say them. */
const BOUNDS = {
  expires: { least: 1, most: 604_800, phrase: "from a second to 7 days" },
  wait: { least: 0, most: 3600, phrase: "an hour at most" },
} as const;

export function checkApprovals(root: Tree, report: Report): void {
  const approvals = child(root, "approvals");
  for (const key of ["expires", "wait"] as const) {
    const tree = child(approvals, key);
    if (tree?.kind !== "scalar" || tree.unresolved) continue;
    if (typeof tree.value !== "string" && typeof tree.value !== "number") continue;
    // An empty or an endless one is told by the check of the shape.
    if (tree.value === "" || tree.value === Number.POSITIVE_INFINITY) continue;
    const seconds = toSeconds(tree.value);
    const { least, most, phrase } = BOUNDS[key];
    if (seconds === null) {
      const fix = "Write a whole number of seconds, or one with a unit: `90s`, `30m`, `2h`, `1d`.";
      report.add(tree.at, `${quote(key)} isn't a duration: ${quote(tree.written)}.`, fix);
    } else if (seconds < least || seconds > most) {
      report.add(tree.at, `${quote(key)} can be ${phrase}, and ${quote(tree.written)} is not.`);
    }
  }
}

export function warnAboutApprovals(root: Tree, report: Report): void {
  for (const channel of textsOf(child(child(root, "approvals"), "via"))) {
    if (channel.value !== "client") continue;
    const message = "The agent's own client may answer approvals, and it can answer without its person.";
    report.add(channel.at, message, "Leave `client` out if a person must certainly have approved.");
  }
}

export function toApprovals({
  via,
  expires,
  wait,
  approvers,
  own,
}: z.infer<typeof approvalsSchema>): ApprovalsDeclaration {
  const expiresSeconds = expires === undefined ? null : toSeconds(expires);
  const waitSeconds = wait === undefined ? null : toSeconds(wait);
  return {
    ...(via && { via }),
    ...(expiresSeconds !== null && { expiresSeconds }),
    ...(waitSeconds !== null && { waitSeconds }),
    ...(approvers && { approvers }),
    ...(own !== undefined && { own }),
  };
}
