/**
 * An approval in lines, with all that a person needs to judge it. THREAT: tool names, arguments, paths and diffs
 * come from models, clients and files; every line goes through `terminal.ts`, which makes them visible.
 */
import { toVisibleJson } from "../../json/visible-json.ts";
import { shortLabel } from "../terminal/labels.ts";
import { type Part, styled } from "../terminal/terminal.ts";
import type { Line } from "../terminal/wrap-line.ts";
import type { WireAppeal, WireApproval, WireOffer, WireOutcome, WireStanding } from "./parse-approval.ts";

const RELEASE = "RELEASE: approving lets this one call send what the tool may not receive.";

/** All of an approval but the time that is left. */
export function approvalLines(approval: WireApproval): readonly Line[] {
  const { id, tool, principal, session_id, label, why, targets, release } = approval;
  return [
    ...(release ? [[styled("red", RELEASE)]] : []),
    fact("tool", styled("bold", tool)),
    fact("for", `${principal}, session ${session_id}`),
    fact("label", `${shortLabel(label)}: what this session has seen so far`),
    ...why.map((sentence) => fact("why", sentence)),
    ...(approval.approvers > 1 ? [fact("people", signerWords(approval))] : []),
    fact("release", release ? styled("red", "YES, as said above") : "no"),
    ...targets.map(({ path }) => fact("path", path)),
    fact("approval", id),
    ...diffLines(approval.diff),
    [styled("bold", "Arguments")],
    ...argumentLines(approval.arguments),
    ...proposalLines(approval.proposal),
  ];
}

/** Who must still say yes: `2 must say yes; ada has`. */
const signerWords = ({
  approvers = 1,
  approved_by: by = [],
}: Pick<WireOutcome, "approvers" | "approved_by">) =>
  `${approvers} must say yes; ${by.length === 0 ? "nobody has" : `${by.join(", ")} ${by.length === 1 ? "has" : "have"}`}`;

const proposalLines = (proposal: WireOffer | null): readonly Line[] =>
  proposal === null
    ? []
    : [
        [styled("bold", "Proposed"), ", since calls like it were approved three times"],
        ["  ", proposal.words],
      ];

/** What agents said on refused calls; nothing for none. */
export const appealLines = (appeals: readonly WireAppeal[]): readonly Line[] =>
  appeals.length === 0
    ? []
    : [
        [],
        [styled("bold", "Appeals"), " of agents against refusals; they grant nothing"],
        ...appeals.flatMap(({ name, principal, session_id, at, text }): readonly Line[] => [
          ["  ", styled("bold", name), `  for ${principal}, session ${session_id}, ${at}`],
          ["    > ", text],
        ]),
      ];

/** Whose caller has gone, as a mark in a list. */
export const callerWords = ({ caller_gone }: WireApproval): string =>
  caller_gone ? "its caller has gone" : "";

/** How many were denied since their caller has gone. */
export const clearedWords = (count: number): string =>
  count === 1 ? "1 call denied whose caller had gone" : `${count} calls denied whose caller had gone`;

/** Standing approvals that are in force; nothing for none, or where no gateway tells about them. */
export const standingLines = (standing: readonly WireStanding[] | null, now: Date): readonly Line[] =>
  standing === null || standing.length === 0
    ? []
    : [
        [],
        [styled("bold", "Standing approvals"), " that admit calls without a question"],
        ...standing.flatMap(({ id, words, given_by, used, count, expires_at }): readonly Line[] => [
          ["  ", words],
          [
            `    ${used} of ${count} ${count === 1 ? "call" : "calls"} used  given by ${given_by}  `,
            styled("yellow", expiryWords(expires_at, now)),
          ],
          ["    ", styled("bold", `sluicegate pending revoke ${id}`)],
        ]),
      ];

const NAME_COLUMNS = 10;
const fact = (name: string, value: Part): Line => [styled("dim", name.padEnd(NAME_COLUMNS)), value];

function diffLines(diff: string | null): readonly Line[] {
  if (diff === null) return [];
  const lines = diff.replace(/\n$/, "").split("\n");
  const start = lines.findIndex((line) => line.startsWith("@@"));
  return [[styled("bold", "Changes")], ...lines.map((line, place) => diffLine(line, place < start))];
}

function diffLine(line: string, isHead: boolean): Line {
  const text = `  ${withBlanksAtEnd(line).replaceAll("\t", "⇥   ")}`;
  if (isHead) return [text];
  if (line.startsWith("+")) return [styled("green", text)];
  if (line.startsWith("-")) return [styled("red", text)];
  return [line.startsWith("@@") ? styled("dim", text) : text];
}

/** Spaces at the end of a line, which nobody would see, as escapes. */
function withBlanksAtEnd(line: string): string {
  let end = line.length;
  while (line[end - 1] === " " && end > 1) end -= 1;
  return line.slice(0, end) + "\\u{20}".repeat(line.length - end);
}

/** JSON that reads back exactly, with a new line after each line feed that a text has. */
function argumentLines(args: object): readonly Line[] {
  return toVisibleJson(args, 2)
    .split("\n")
    .flatMap((line) => {
      const indent = /^ */.exec(line)?.[0] ?? "";
      const [first = "", ...rest] = atLineFeeds(line);
      return [[`  ${first}`], ...rest.map((part): Line => [styled("dim", `  ${indent}  ↪ `), part])];
    });
}

/** A line of JSON cut after each `\n` in a text that goes on. */
function atLineFeeds(line: string): readonly string[] {
  const parts = [""];
  for (const [token] of line.matchAll(/\\.|[^\\]+/g)) {
    parts[parts.length - 1] += token;
    if (token === "\\n") parts.push("");
  }
  const last = parts.pop() ?? "";
  // The quote and comma that end a text need no line of their own.
  if (parts.length > 0 && /^",?$/.test(last)) parts[parts.length - 1] += last;
  else parts.push(last);
  return parts;
}

/** When an approval expires, seen from a moment. */
export function expiryWords(expiresAt: string, now: Date): string {
  const seconds = Math.round((Date.parse(expiresAt) - now.getTime()) / 1000);
  if (Number.isNaN(seconds)) return `expires at ${expiresAt}`;
  if (seconds <= 0) return "expires now";
  if (seconds < 120) return `expires in ${seconds} s`;
  return `expires in ${Math.floor(seconds / 60)} min`;
}

/** How many others of its session wait until this one is over; empty where none does. */
export const behindWords = ({ waiting_behind: count }: WireApproval): string =>
  count === 0 ? "" : `${count} more of this session ${count === 1 ? "waits" : "wait"} behind it`;

const DONE: Readonly<Record<WireOutcome["status"], string>> = {
  approved: "approved",
  denied: "denied",
  expired: "expired, since nobody answered in time",
  pending: "counted as a yes",
  cancelled: "cancelled, since its agent, its session or its policy is gone",
};

/** What became of an approval, and by whom: `denied by ada, in the console`. */
export function outcomeWords(outcome: WireOutcome): string {
  const { status, answered_by: by, via } = outcome;
  if (status === "pending") return `${DONE.pending}: ${signerWords(outcome)}`;
  if (by === null) return DONE[status];
  return `${DONE[status]} by ${by}${via === null ? "" : `, ${VIA.get(via) ?? `via ${via}`}`}`;
}

const VIA: ReadonlyMap<string, string> = new Map([
  ["console", "in the console"],
  ["terminal", "in a terminal"],
  ["client", "in the agent's own client"],
]);
