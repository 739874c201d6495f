/** The words of `sluicegate explain` for a terminal. */
import {
  type Call,
  type Check,
  type Decision,
  describeLabel,
  type Effect,
  type Label,
  nearMiss,
  type TrailEntry,
  trailOf,
} from "../../core/index.ts";
import type { PlayedStep } from "../../core/plan/play-plan.ts";
import { wordReasons } from "../../runtime/approvals/worded-reasons.ts";
import { type Part, printLine, printTable, shorten, styled } from "../terminal/terminal.ts";
import type { Explanation } from "./explain.ts";

/** Prints the decision, its reasons, its trail, and what the call does to the session. */
export function printExplanation(explanation: Explanation): void {
  const { policy, call, decision, after } = explanation;
  printLine(effectMark(decision.effect), "  ", styled("bold", shorten(call.tool)));
  for (const { message } of wordReasons(policy, decision.reasons, call.tool)) printLine("  ", message);
  printCondition(explanation);
  const near = decision.tool === null ? nearMiss(call.tool, policy.names.all()) : undefined;
  if (near !== undefined) printLine("  ", `Did you mean \`${near}\`?`);
  printLine();
  if (after.length > 0) printBefore(explanation);
  printLine("Checks");
  printTable(trailOf(decision).map((entry) => toRow(entry)));
  printLine();
  printUserWord(explanation);
  printSession(explanation);
}

function printUserWord({ userWord }: Explanation): void {
  if (userWord.length === 0) return;
  printLine("The user's word");
  printTable(
    userWord.map(({ argument, by }) => [
      shorten(argument),
      by === null ? styled("yellow", "missing") : styled("green", by),
    ]),
  );
  printLine();
}

function printCondition({ call, decision }: Explanation): void {
  const condition = askingCondition(call, decision);
  if (condition === null) return;
  const when = `\`${condition.when}\``;
  if (call.arguments === undefined) {
    const rest = `a person is asked where ${when} holds, or can't be evaluated.`;
    printLine("  ", `That depends on the arguments, which \`--args\` gives: ${rest}`);
  } else if (condition.holds === null) {
    printLine("  ", `The condition ${when} can't be evaluated on these arguments.`);
  } else {
    printLine("  ", `The condition ${when} holds.`);
  }
}

/** An effect in its colour. */
function effectMark(effect: Effect): Part {
  if (effect === "allow") return styled("green", effect);
  return styled(effect === "ask" ? "yellow" : "red", effect);
}

function printBefore({ policy, after }: Explanation): void {
  printLine("Called before");
  for (const [at, played] of after.entries()) {
    const { step, decision } = played;
    printLine(
      `  ${at + 1}. `,
      shorten(step.tool),
      "  ",
      effectMark(decision.effect),
      "  ",
      outcomeOf(played),
    );
    for (const { message } of wordReasons(policy, decision.reasons, step.tool)) printLine("     ", message);
  }
  printLine();
}

function outcomeOf({ decision, raises, step }: PlayedStep): string {
  if (decision.effect === "deny") return "not run, so it changes nothing";
  const approved = decision.effect === "ask" ? "taken as approved; " : "";
  return `${approved}${raises === null ? "adds nothing new" : `brings in ${describeLabel(raises)}${atMost(decision, step)}`}`;
}

/** What a query reads is known where its database examined it. */
const atMost = ({ tool }: Decision, { source }: { readonly source?: Label | undefined }): string =>
  tool?.sourceBound === "most" && source === undefined ? " at most" : "";

// What each check makes sure of.
const PASSED: Readonly<Record<Check, string>> = {
  exists: "the name means one tool",
  policy: "policy and role leave the tool",
  visible: "the session sees it",
  permissions: "what it needs is granted",
  rules: "no rule of the policy denies it or asks for a person",
  flow: "what the session holds may go to it",
  endorsement: "it needs no word of the user's, or has it",
  approval: "no person has to be asked",
  facts: "nothing was left unknown",
};

function toRow({ check, result, reasons }: TrailEntry): readonly Part[] {
  if (result === "pass") return [check, styled("green", "pass"), styled("dim", PASSED[check])];
  if (result === "skipped")
    return [check, styled("dim", "skipped"), styled("dim", "there is no tool to check")];
  return [check, effectMark(result), reasons.map(({ code }) => code).join(", ")];
}

function printSession({ call, decision, label, raises, shuts }: Explanation): void {
  const condition = decision.effect === "ask" ? "once approved" : "";
  const rows: Part[][] = [["session before", describeLabel(label)]];
  if (decision.effect === "deny") {
    rows.push(["the call adds", "nothing, since it isn't run"]);
  } else {
    const adds = raises === null ? "nothing new" : `${describeLabel(raises)}${atMost(decision, call)}`;
    rows.push([`the call adds`, condition ? `${adds}, ${condition}` : adds]);
    rows.push(["that shuts", shuts.length === 0 ? "no tool" : shuts.join(", ")]);
  }
  printLine("Session");
  printTable(rows);
}

interface AskingCondition {
  /** As it stands in the policy. */
  readonly when: string;
  /** Null where it can't be determined: from these arguments, or because none are given. */
  readonly holds: true | null;
}

/** Null where no condition has its say. */
export function askingCondition(call: Call, { tool, reasons }: Decision): AskingCondition | null {
  if (tool === null || typeof tool.approval !== "object") return null;
  const causes = reasons.map((reason) => (reason.code === "approval-required" ? reason.because : null));
  const isUnclear = causes.includes("condition-unclear");
  if (!isUnclear && !causes.includes("condition")) return null;
  return { when: tool.approval.when, holds: isUnclear || call.arguments === undefined ? null : true };
}
