/** What a server says of a tool, held against what a pack knows of it: it can only make the proposal stricter. */
import { PERMISSIONS, type Permission } from "../../core/index.ts";
import type { Labels } from "../packs/pack.ts";
import { type DescribedTool, higher, type Proposal, rankOf, type Sensitivity, WORST } from "./proposal.ts";
import { flagOf, readArguments } from "./tool-arguments.ts";

/** The proposal, or a stricter one where the tool isn't described as a pack expects it. */
export function tighten(
  proposal: Proposal,
  tool: DescribedTool,
  guess: Proposal,
  expects: Labels["expects"] = [],
): Proposal {
  const surprises = surprisesIn(proposal, tool, expects);
  if (surprises.length > 0) {
    const both = strictest(proposal, guess);
    return {
      ...both,
      permissions: PERMISSIONS.filter((one) => one === "connect" || both.permissions.includes(one)),
      sink: WORST.sink,
      to: [],
      approval: "always",
      reasons: [...both.reasons, ...surprises],
      confidence: "doubtful",
    };
  }
  const isDestructive =
    flagOf(tool.annotations, "destructiveHint") === true && !expects.includes("destructiveHint");
  if (!isDestructive || flagOf(tool.annotations, "readOnlyHint") === true || proposal.approval === "always")
    return proposal;
  const reasons = [
    ...proposal.reasons,
    "It says itself that it may destroy, so a person says yes to each call.",
  ];
  return { ...proposal, approval: "always", reasons };
}

function surprisesIn(
  { permissions, sink, approval }: Proposal,
  tool: DescribedTool,
  expects: NonNullable<Labels["expects"]>,
): readonly string[] {
  const surprises: string[] = [];
  const { addresses, launches, saved } = readArguments(tool.inputSchema);
  // A read with a sink asks the service that it is for.
  const asksService = sink !== null && !permissions.includes("write");
  const reaches = permissions.includes("connect") || asksService;
  const saysOutside =
    flagOf(tool.annotations, "openWorldHint") === true && !expects.includes("openWorldHint");
  if (!reaches && saysOutside)
    surprises.push("It says itself that it reaches outside, which it didn't when the pack was written.");
  if (!reaches && addresses.length > 0)
    surprises.push("It takes an address, which it didn't when the pack was written.");
  if (approval !== "always" && launches.length > 0)
    surprises.push("An argument says which program it starts, which it didn't when the pack was written.");
  const isAsked = (name: string): boolean => approval === `has(args.${name})`;
  if (!permissions.includes("write") && !saved.every(isAsked))
    surprises.push("It takes a file to write to, which it didn't when the pack was written.");
  if (!permissions.includes("write") && flagOf(tool.annotations, "readOnlyHint") === false)
    surprises.push("It says itself that it changes something, which it didn't when the pack was written.");
  return surprises;
}

/** At least as strict as both. */
function strictest(left: Proposal, right: Proposal): Proposal {
  const permissions: readonly Permission[] = PERMISSIONS.filter(
    (one) => left.permissions.includes(one) || right.permissions.includes(one),
  );
  return {
    ...left,
    permissions,
    source: joinSources(left.source, right.source),
    sink: lowerSink(left.sink, right.sink),
    approval: left.approval === right.approval ? left.approval : strictestApproval(left, right),
    onViolation: left.onViolation === "ask" && right.onViolation === "ask" ? "ask" : "deny",
    reasons: [...left.reasons, ...right.reasons],
  };
}

function joinSources(left: Proposal["source"], right: Proposal["source"]): Proposal["source"] {
  if (left === null || right === null) return left ?? right;
  const isUntrusted = left.trust === "untrusted" || right.trust === "untrusted";
  return { level: higher(left.level, right.level), trust: isUntrusted ? "untrusted" : "trusted" };
}

function lowerSink(left: Sensitivity | null, right: Sensitivity | null): Sensitivity | null {
  if (left === null || right === null) return left ?? right;
  return rankOf(left) <= rankOf(right) ? left : right;
}

/** Two conditions, or one and `always`: a person is asked each time. */
function strictestApproval(left: Proposal, right: Proposal): string {
  const [one = "never", ...more] = [left, right]
    .map(({ approval }) => approval)
    .filter((it) => it !== "never");
  return more.length > 0 ? "always" : one;
}
