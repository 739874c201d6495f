/** Decides on one event of the hook and words the answer, for a gateway and for a process that decides by itself. */

import { resolve } from "node:path";
import {
  type DecidedAs,
  decidedAs,
  isStartedOtherwise,
  startsSubagent,
} from "../../adapters/claude-code/decided-as.ts";
import {
  type HookAnswer,
  type HookVerdict,
  toPermissionAnswer,
  toQuietAnswer,
} from "../../adapters/claude-code/hook-answer.ts";
import type { HookEvent } from "../../adapters/claude-code/hook-event.ts";
import {
  type AskCause,
  type Call,
  dataSetOf,
  explainClass,
  type Label,
  lookUp,
  sourceOfCall,
  topLabel,
} from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import {
  type CallDecision,
  type CallFacts,
  type CallOptions,
  describeRefusal,
  type Examination,
  type Session,
  type Target,
} from "../../runtime/index.ts";
import { findDefinitions } from "./agent-definitions.ts";
import { isDialog, loadsInstructions } from "./agent-tools.ts";
import { type AskedClient, findAsked, forgetAsked, keepAsked } from "./asked-client.ts";
import { canonicalFolder, factsOf } from "./file-facts.ts";
import type { HookGate } from "./hook-gate.ts";
import type { HookSettings } from "./hook-settings.ts";
import { uncoveredBy } from "./uncovered-command.ts";

/** Answers one event. Rejects if nothing can be decided; the caller reports that to the agent. */
export async function answerHook(
  hooks: HookGate,
  event: HookEvent,
  settings: HookSettings,
  signal?: AbortSignal,
): Promise<HookAnswer> {
  const decided = decidedAs((name) => lookUp(hooks.gate.policy, name), event);
  if (decided === null && settings.unlisted !== "policy") return answerUnlisted(event, settings.unlisted);
  const to = decided ?? { tool: hooks.unclassified(event.tool), file: null };
  const at = { hooks, event, to, settings, session: await sessionOf(hooks, event, settings) };
  if (event.name !== "PreToolUse") return answerAfter(at);
  const permission = await decideBefore(at, signal);
  // If the hook allowed it, the user wouldn't be asked.
  const isTheirs = permission.decision === "allow" && isDialog(event.tool);
  return toPermissionAnswer(isTheirs ? { decision: "pass" } : permission);
}

interface HookTurn {
  readonly hooks: HookGate;
  readonly event: HookEvent;
  readonly to: DecidedAs;
  readonly settings: HookSettings;
  readonly session: Session;
}

const UNLISTED =
  "The policy says nothing of this tool, and this hook leaves such tools to whoever runs the agent.";

const answerUnlisted = ({ name }: HookEvent, decision: "defer" | "pass"): HookAnswer =>
  name === "PreToolUse" ? toPermissionAnswer({ decision, reason: UNLISTED }) : toQuietAnswer();

/** The session of the conversation, in the role that it started with. */
export async function sessionOf(
  { gate }: HookGate,
  { conversation }: Pick<HookEvent, "conversation">,
  { role }: HookSettings,
): Promise<Session> {
  const session = await gate.sticky(`claude-code:${conversation}`, role === null ? {} : { role });
  if (session.role === role) return session;
  throw new SluicegateError("forbidden", "This conversation was begun in another role.", {
    why: `Its session has ${named(session.role)}, and the hook is set up with ${named(role)}.`,
    fix: "Begin a new conversation, or set the hook up as it was.",
  });
}

const named = (role: string | null): string => (role === null ? "no role" : `the role \`${role}\``);

const callOf = ({ event, to }: HookTurn): Call => ({ tool: to.tool, arguments: event.arguments });

async function decideBefore(at: HookTurn, signal?: AbortSignal): Promise<HookVerdict> {
  const { gate } = at.hooks;
  let examined: Examination | undefined;
  const gather = async (): Promise<CallFacts> => {
    const facts = await gatherFacts(at);
    examined = facts.examined;
    return facts;
  };
  const options = { facts: gather, ...(signal && { signal }) };
  const first = await decideOnce(at, options);
  if (first.approval === null || first.effect !== "ask") return toPermission(first);
  if (isForClient(at, first.approval.id)) return askClient(at, first, examined);
  const waitSeconds = Math.min(at.settings.waitSeconds, gate.policy.approvals.waitSeconds);
  const last = toPermission(waitSeconds > 0 ? await decideOnce(at, { ...options, waitSeconds }) : first);
  const hint = last.decision === "deny" ? hintOf(at, examined) : null;
  return hint === null ? last : { ...last, reason: `${last.reason} ${hint}` };
}

/** How a search that needs approval becomes one that doesn't. */
function hintOf({ to }: HookTurn, examined: Examination | undefined): string | null {
  const hasPattern = to.file?.searches.some(({ globs }) => globs.length > 0) === true;
  return hasPattern && examined?.asks.includes("ignored-path") === true ? NARROWER : null;
}

const NARROWER =
  "A search with a pattern also shows ignored files that match it. With a narrower pattern, such as `*.ts` or `src/**`, or a `Grep` without `glob`, it may need no approval.";

async function decideOnce(
  at: HookTurn,
  options: CallOptions & Required<Pick<CallOptions, "facts">>,
): Promise<CallDecision> {
  const [decision] = await at.session.decide([callOf(at)], options);
  if (decision === undefined) throw new Error("Nothing was decided.");
  return decision;
}

/** Tools that the session doesn't see aren't examined, so that a call reveals nothing about them. */
async function gatherFacts(at: HookTurn): Promise<CallFacts> {
  const { hooks, event, to, session, settings } = at;
  if (session.tool(to.tool) === null) return {};
  if (startsSubagent(event)) return { examined: await examineSubagent(at) };
  if (loadsInstructions(event.tool)) return { examined: { asks: [], targets: await foldersOf(at) } };
  const workspace = hooks.workspace(settings.settings);
  const root = workspace?.workspace.root ?? null;
  const asks = await uncoveredBy({ gate: hooks.gate, session, tool: to.tool, call: event, root });
  if (to.file === null) return { asks };
  if (workspace === null) return { faults: [{ code: "provider", message: "There is no workspace." }] };
  const place = { workspace, environment: settings.environment, cwd: event.cwd, settings: settings.settings };
  return factsOf(place, { ...to.file, asks: [...to.file.asks, ...asks] });
}

/** The folders where instructions are searched for, and the one of `cwd`. An approval is bound to them. */
async function foldersOf({ event, settings }: HookTurn): Promise<readonly Target[]> {
  const { arguments: args, cwd } = event;
  const { CLAUDE_PROJECT_DIR: begun = cwd } = settings.environment;
  const given = Object.hasOwn(args, "cwd") ? args.cwd : undefined;
  const folders = [cwd, resolve(cwd, begun), ...(typeof given === "string" ? [resolve(cwd, given)] : [])];
  const paths = new Set(await Promise.all(folders.map(canonicalFolder)));
  return [...paths].map((path) => ({ path }));
}

/** A definition of a subagent is data with the source of `Read`. */
async function examineSubagent(at: HookTurn): Promise<Examination> {
  const { hooks, event, settings } = at;
  const found = await findDefinitions(event, settings.environment);
  const targets = [...found.map((path) => ({ path })), ...(await foldersOf(at))];
  const asks: readonly AskCause[] = isStartedOtherwise(event) ? ["unclear-path"] : [];
  if (found.length === 0) return { asks, targets };
  const { tool } = lookUp(hooks.gate.policy, "Read");
  const source = tool === null ? topLabel(hooks.gate.policy.lattice) : tool.source;
  return { asks: ["instruction-file", ...asks], targets, ...(source !== null && { source }) };
}

function toPermission(decision: CallDecision): HookVerdict {
  const { effect, class: refusal, repeated, approval, faults } = decision;
  if (effect === "allow") return { decision: "allow" };
  const why = [describeRefusal(decision), ...faults.map(({ message }) => message)].join("\n");
  const reason =
    effect === "deny" && refusal !== undefined && repeated === undefined
      ? `${why} ${explainClass(refusal)}`
      : why;
  if (approval === null) return { decision: "deny", reason };
  const notice = `Waits for you: approve it in Sluicegate's console, or with \`sluicegate approve ${approval.id}\`.`;
  return { decision: "deny", reason, notice };
}

/**
 * THREAT: the agent may answer without asking its user. So its dialog is used only if the policy allows it, and never
 * for a release.
 */
function isForClient({ hooks, session }: HookTurn, approval: string): boolean {
  const asked = session.state.pending.find(({ id }) => id === approval);
  return asked?.release === false && hooks.gate.policy.approvals.via.includes("client");
}

/**
 * INVARIANT: the label is durable before the dialog opens, because nothing can stop the result between the user's
 * answer and the model.
 */
async function askClient(at: HookTurn, decision: CallDecision, examined?: Examination): Promise<HookVerdict> {
  const { hooks, session, event } = at;
  const approval = decision.approval?.id ?? "";
  await keepAsked(hooks.store, session.id, {
    approval,
    use: event.use,
    asks: examined?.asks ?? [],
    targets: examined?.targets ?? [],
  });
  await raise(at, examined?.source);
  await hooks.gate.recordShown({ id: approval, session: session.id }, "client");
  return { decision: "ask", reason: decision.reasons.map(({ message }) => message).join("\n") };
}

/** Raises the session by the call's source; by the top label if the tool is unknown. */
async function raise({ hooks, session, to }: HookTurn, found?: Label): Promise<void> {
  const { policy } = hooks.gate;
  const { tool } = lookUp(policy, to.tool);
  const source = tool === null ? topLabel(policy.lattice) : sourceOfCall(policy.lattice, tool, found);
  if (source !== null) await session.addDataset(tool === null ? "unknown" : dataSetOf(tool), source);
}

async function answerAfter(at: HookTurn): Promise<HookAnswer> {
  const { event, session, hooks } = at;
  const call = await session.runningCall(callOf(at));
  if (call !== null) {
    await session.report({ callId: call, error: event.failed, result: event.response });
    return toQuietAnswer();
  }
  const asked = await findAsked(hooks.store, session, event.use);
  if (asked !== null) return endAsked(at, asked);
  await raise(at);
  await session.inspect(event.response, at.to.tool);
  return toQuietAnswer(
    `Sluicegate wasn't asked before a call of ${event.tool} ran. It counts in the session all the same.`,
  );
}

/**
 * Records a call that the agent's user was asked about: since it has run, they approved it. INVARIANT: the approval
 * is recorded only together with its use, so that no other call can use it.
 */
async function endAsked(at: HookTurn, asked: AskedClient): Promise<HookAnswer> {
  const { hooks, session, event } = at;
  const { asks, targets } = asked;
  const facts = (): CallFacts => ({ examined: { asks, targets } });
  const { effect, approval } = await session.preview(callOf(at), { facts });
  const isAnother = effect === "ask" && approval?.id !== asked.approval;
  if (effect === "ask" && !isAnother) await answerForClient(at, asked);
  const decision = isAnother ? null : await decideOnce(at, { facts });
  await forgetAsked(hooks.store, session.id, asked);
  await session.inspect(event.response, at.to.tool);
  if (decision?.effect !== "allow")
    return toQuietAnswer(`${event.tool} ran by a yes of yours that the policy no longer takes.`);
  await session.report({ callId: decision.callId, error: event.failed });
  return toQuietAnswer();
}

/** If somebody else answered meanwhile, the journal keeps their answer. */
async function answerForClient({ hooks, session }: HookTurn, { approval }: AskedClient): Promise<void> {
  try {
    const given = { answer: "approved", by: session.principal, via: "client" } as const;
    await hooks.gate.answerApproval(approval, given);
  } catch (cause) {
    if (!SluicegateError.isInstance(cause) || cause.code !== "approval-settled") throw cause;
  }
}
