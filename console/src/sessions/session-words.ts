/** The words of a timeline: decisions, outcomes, approvals, and the meaning of each check. */
import type { Schema } from "../api/client.ts";
import { wordWay } from "../approvals/outcome-words.ts";
import type { TimelineCall } from "./kept-events.ts";

type Check = Schema<"TrailEntry">["check"];
type Result = Schema<"TrailEntry">["result"];
type Approval = NonNullable<TimelineCall["approval"]>;

export const VERDICTS: Readonly<Record<TimelineCall["effect"], string>> = {
  allow: "allowed",
  ask: "asked",
  deny: "denied",
};

/** The outcome of a call in addition to its decision; null if that is all. */
export const OUTCOMES: Readonly<Record<TimelineCall["outcome"], string | null>> = {
  running: "running",
  ok: null,
  error: "failed",
  unknown: "outcome unknown",
  refused: null,
  waiting: "waits for a person",
  answered: null,
};

export const RESULTS: Readonly<Record<Result, string>> = {
  pass: "pass",
  ask: "asks",
  deny: "denies",
  skipped: "skipped",
};

/** The meaning of a check that passes. */
export const PASSED: Readonly<Record<Check, string>> = {
  exists: "The name means one tool.",
  policy: "Policy and role leave the tool.",
  visible: "The session sees it.",
  permissions: "What it needs is granted.",
  rules: "No rule of the policy denies it or asks for a person.",
  flow: "What the session holds may go to it.",
  endorsement: "What it acts on is in the user's words, or no stranger's text was read.",
  approval: "No person has to be asked.",
  facts: "Nothing was left unknown.",
};

export const SKIPPED = "There is no tool to check.";

const STATUS: Readonly<Record<Approval["status"], string>> = {
  pending: "Waits for a person",
  approved: "Approved",
  denied: "Denied",
  expired: "Expired",
  cancelled: "Cancelled",
};

/** The state of an approval, before and after the name of who answered. */
export function wordApproval({ status, via, answered_by }: Approval): {
  readonly before: string;
  readonly after: string;
} {
  if (answered_by === null) return { before: STATUS[status], after: "" };
  return { before: `${STATUS[status]} by`, after: wordWay(via) };
}

/** Calls are counted from 1 for people. */
export const callNumber = (step: number): number => step + 1;

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en-GB")} ${count === 1 ? one : many}`;

type Tool = Schema<"SessionTools">["tools"][number];

/** Whether the session's data may flow to it. */
export function stateOfTool({ blocked, releasable }: Pick<Tool, "blocked" | "releasable">): string {
  if (!blocked) return "open";
  return releasable ? "shut, a person may release" : "shut";
}

/** How many there are, and how many of them are blocked. */
export function describeTools(tools: readonly Pick<Tool, "blocked">[]): string {
  const shut = tools.filter(({ blocked }) => blocked).length;
  return shut === 0
    ? `${counted(tools.length, "tool")}, all open`
    : `${counted(tools.length, "tool")}, ${shut} shut`;
}

/** Whether a tool matches a search. */
export function fitsTool({ name, server }: Pick<Tool, "name" | "server">, find: string): boolean {
  const wish = find.trim().toLowerCase();
  return `${name}\n${server ?? ""}`.toLowerCase().includes(wish);
}
