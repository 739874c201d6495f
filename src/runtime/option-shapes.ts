/** The shapes of options for gates and sessions. A misspelt option is an error, and isn't ignored. */
import {
  APPROVAL_CHANNELS,
  ASK_CAUSES,
  type Call,
  FAULT_CODES,
  type Fault,
  LABEL_SHAPE,
  type Label,
  PERMISSION_SHAPE,
  POLICY_SHAPE,
  STANDING_SCOPES,
  shape,
} from "../core/index.ts";
import type { AppealGiven } from "./appeals.ts";
import type { Answer } from "./approvals/answer-approval.ts";
import type { StandingRequest } from "./approvals/give-standing.ts";
import type { CallFacts } from "./calls/call-facts.ts";
import type { CallOptions } from "./calls/call-pipeline.ts";
import type { Report } from "./calls/run-call.ts";
import type { FreezeRequest } from "./freezes.ts";
import type { GateOptions, OpenOptions } from "./gate-options.ts";
import type { Examination, Target } from "./ports/provider.ts";
import type { ForkOptions } from "./runs/fork-session.ts";
import type { RunOptions } from "./visibility.ts";

const { anything, callable, collectionOf, either, flag, having, listOf, mapOf } = shape;
const { matching, name, numberFrom, oneOf, record, text } = shape;

const permissions = collectionOf(PERMISSION_SHAPE);
const signal = having("an abort signal", "throwIfAborted");
/** Tool policies, and the options of `open`, are checked when they are compiled. */
const toolPolicy = anything;
const toolPolicies = listOf(toolPolicy);

const label = record<Label>({ level: name, categories: listOf(name), trust: name }, [
  "level",
  "categories",
  "trust",
]);
const textOrNull = matching("text or null", (value) => value === null || typeof value === "string");
const asks = listOf(oneOf(...ASK_CAUSES));

const standing = record<StandingRequest>({
  arguments: mapOf(
    matching("one of `equals`, `oneOf`, `prefix`, `atMost` and `anything`", (rule) => {
      const [[key, value] = [], ...more] = Object.entries(Object(rule));
      if (more.length > 0) return false;
      if (key === "equals") return true;
      if (key === "oneOf") return Array.isArray(value);
      if (key === "prefix") return typeof value === "string";
      return key === "atMost" ? typeof value === "number" : key === "anything" && value === true;
    }),
  ),
  for: oneOf(...STANDING_SCOPES),
  ceiling: LABEL_SHAPE,
  expires: text,
  count: numberFrom(1),
});

const SHAPES = Object.freeze({
  facts: record<CallFacts>({
    source: label,
    faults: listOf(record<Fault>({ code: oneOf(...FAULT_CODES), message: text }, ["code", "message"])),
    asks,
    isProtected: flag,
    unknownArgument: record({ argument: text, near: textOrNull }, ["argument", "near"]),
    signIn: record({ server: text, link: textOrNull }, ["server", "link"]),
    definition: text,
    examined: record<Examination>(
      {
        asks,
        targets: listOf(record<Target>({ path: text, content: textOrNull }, ["path"])),
        isProtected: flag,
        source: label,
        told: label,
        preview: text,
        checked: anything,
      },
      ["asks", "targets"],
    ),
  }),
  gate: record<GateOptions>(
    {
      policy: POLICY_SHAPE,
      store: having("a store, such as `openSqliteStore(path)`", "append", "read", "head"),
      toolPolicy,
      clock: having("a clock", "now"),
      random: callable,
      digestKey: matching("16 bytes or more", (key) => key instanceof Uint8Array && key.length >= 16),
      facts: callable,
      approvalSeconds: numberFrom(0),
      mostPending: numberFrom(0),
      mostInMemory: numberFrom(0),
      inspect: callable,
      runner: having("a runner", "isGone"),
      onFault: callable,
    },
    ["policy", "store"],
  ),
  policy: POLICY_SHAPE,
  open: record<OpenOptions>({
    principal: name,
    role: text,
    task: text,
    tools: listOf(text),
    toolPolicies,
    permissions: anything,
  }),
  run: record<RunOptions<unknown>>({
    tools: collectionOf(text),
    toolPolicies,
    visibility: having("a visibility policy", "visibleTools"),
    context: anything,
    permissions: either(callable, permissions),
  }),
  fork: record<ForkOptions>({ toolPolicy, sharesLabel: flag }),
  call: record<Call>({ tool: text, arguments: mapOf(anything) }, ["tool"]),
  wait: record<CallOptions>({
    facts: callable,
    waitSeconds: numberFrom(0),
    signal,
    stop: signal,
    onWaiting: callable,
  }),
  label: LABEL_SHAPE,
  dataset: name,
  words: name,
  appeal: record<AppealGiven>({ callId: text, text }, ["callId", "text"]),
  report: record<Report>({ callId: text, label: LABEL_SHAPE, result: anything, dataset: text, error: flag }, [
    "callId",
  ]),
  answer: record<Answer>(
    {
      answer: oneOf("approved", "denied"),
      by: name,
      via: oneOf(...APPROVAL_CHANNELS),
      why: text,
      arguments: mapOf(anything),
      standing,
    },
    ["answer", "by"],
  ),
  freeze: record<FreezeRequest>(
    {
      principal: name,
      session: name,
      server: name,
      tool: name,
      by: name,
      why: matching(
        "text of 1 to 500 characters",
        (why) => typeof why === "string" && /^.{1,500}$/su.test(why),
      ),
    },
    ["by"],
  ),
  standing,
  permissions,
  function: callable,
});

const MESSAGES: Readonly<Record<keyof typeof SHAPES, string>> = Object.freeze({
  facts: "The facts of a call can't be used.",
  gate: "The gate can't be created.",
  policy: "The policy can't be put in force.",
  open: "The session can't be opened.",
  run: "The run can't start.",
  fork: "The session can't be forked.",
  call: "The call can't be decided.",
  wait: "The call can't be decided.",
  label: "The session can't be raised.",
  dataset: "The session can't be raised.",
  words: "The words can't be added.",
  appeal: "The appeal can't be recorded.",
  report: "The report can't be recorded.",
  answer: "The approval can't be answered.",
  freeze: "The freeze can't be recorded.",
  standing: "The standing approval can't be used.",
  permissions: "The permissions can't be used.",
  function: "The function can't be used.",
});

/** @throws SluicegateError `invalid-request` for a value of another shape. */
export function assertGiven(kind: keyof typeof SHAPES, value: unknown, path = ""): void {
  shape.assertShape(SHAPES[kind], value, { code: "invalid-request", message: MESSAGES[kind], path });
}
