/**
 * What a tool is: its permissions, the label it brings in (source), the labels it may send out (clearances).
 * Owns the defaults that a declaration leaves open. Knows nothing of sessions or roles.
 */
import { SluicegateError } from "../../errors/index.ts";
import { quoteName } from "../decision/quote-name.ts";
import { ANY, createLabel, type Label, type Lattice, lowestClearance, topLabel } from "../label/label.ts";
import { MAX_APPROVERS } from "../policy/approval-rules.ts";
import { either, flag, listOf, name, numberFrom, oneOf, record, type Shape, text } from "../policy/shape.ts";
import { type ApprovalCondition, CONDITION_SHAPE } from "./condition.ts";

/** What a call does to the world; `connect` reaches outside. */
export type Permission = "read" | "write" | "connect";

export const PERMISSIONS: readonly Permission[] = Object.freeze(["read", "write", "connect"]);

/** When a person must approve before a call runs. */
export type Approval = "always" | "never" | ApprovalCondition;

/** A source or a clearance as people write it: what is left out takes its default. */
export interface LabelDeclaration {
  readonly level?: string;
  readonly categories?: readonly string[];
  readonly trust?: string;
}

export const LABEL_SHAPE: Shape = record<LabelDeclaration>({
  level: name,
  categories: listOf(name),
  trust: name,
});

/** A label whose names are the lattice's. */
export const labelShapeOf = ({ levels, trust }: Lattice): Shape =>
  record<LabelDeclaration>({
    level: oneOf(...levels, ANY),
    categories: listOf(name),
    trust: oneOf(...trust),
  });

/** Whether a call of a tool brings in at least or at most what the tool declares. */
type SourceBound = "least" | "most";

/** A tool as the operator declares it. */
export interface ToolDeclaration {
  readonly permissions: readonly Permission[];
  /** The label of what it brings into the session; nothing if it is left out. */
  readonly source?: LabelDeclaration;
  /**
   * What `source` says: the `least` that a call brings in (by default), or the `most`. Then a call brings in what its
   * provider finds out before it runs, and all of `source` where it finds out nothing.
   */
  readonly sourceBound?: SourceBound;
  /** Clearances, any one of which is enough. Left out, a tool with `connect` has the lowest one. */
  readonly sink?: readonly LabelDeclaration[];
  readonly tags?: readonly string[];
  readonly approval?: Approval;
  /** What happens to a call that the session's label may not go to: `deny` by default; `ask` lets a person release it. */
  readonly onViolation?: "deny" | "ask";
  /** How many different people must say yes where a call needs approval; 1 by default. */
  readonly approvers?: number;
  /** Paths of the arguments whose recipients say what may be sent, in place of `sink`, such as `to`. */
  readonly to?: readonly string[];
  /** Paths of arguments that must be the user's word once untrusted content is in: whom or what a call is for. */
  readonly critical?: readonly string[];
  /** Paths of arguments that carry content; a link in one of them must be the user's word. */
  readonly payload?: readonly string[];
  /** Whether a call may delete, overwrite or move something; left out, it may. */
  readonly isDestructive?: boolean;
}

export const PERMISSION_SHAPE: Shape = oneOf(...PERMISSIONS);

const APPROVAL_SHAPE = either(CONDITION_SHAPE, oneOf("always", "never"));

/** A declared tool whose labels have this shape. */
export const toolShape = (label: Shape): Shape =>
  record<ToolDeclaration>(
    {
      permissions: listOf(PERMISSION_SHAPE),
      source: label,
      sourceBound: oneOf("least", "most"),
      sink: listOf(label),
      tags: listOf(text),
      approval: APPROVAL_SHAPE,
      onViolation: oneOf("deny", "ask"),
      approvers: numberFrom(1, MAX_APPROVERS),
      to: listOf(name),
      critical: listOf(name),
      payload: listOf(name),
      isDestructive: flag,
    },
    ["permissions"],
  );

/** A tool ready to be decided on. Frozen. */
export interface Tool {
  /** Its identity: `mcp__{server}__{tool}`, or the plain name of a tool that the agent runs itself. */
  readonly id: string;
  /** The name an agent sees: the short one where nothing else has it. */
  readonly name: string;
  /** The server that offers it; null for a tool that the agent runs itself. */
  readonly server: string | null;
  readonly permissions: readonly Permission[];
  readonly source: Label | null;
  readonly sourceBound: SourceBound;
  /** Null: it sends nothing out and runs at any label. */
  readonly clearances: readonly Label[] | null;
  readonly tags: readonly string[];
  readonly approval: Approval;
  readonly onViolation: "deny" | "ask";
  readonly approvers: number;
  /** Null: its clearances are those above, whoever receives what it sends. */
  readonly to: readonly string[] | null;
  readonly critical: readonly string[];
  readonly payload: readonly string[];
  readonly isDestructive: boolean;
  /** False if nobody has said what it is; then it is the worst of a source and of a sink. */
  readonly classified: boolean;
}

const PREFIX = "mcp__";
const SERVER = /^[A-Za-z0-9][A-Za-z0-9.-]*(?:_[A-Za-z0-9.-]+)*$/;

/** Whether a server can have this id. Ids contain no `__`, so that a tool's identity has one reading. */
export const isServerId = (id: string): boolean => id.length <= 64 && SERVER.test(id);

/** @throws SluicegateError `policy-invalid` if no server can have this id. */
export function assertServerId(id: string): void {
  if (isServerId(id)) return;
  throw new SluicegateError("policy-invalid", `The server id ${quoteName(id)} can't be used.`, {
    why: "An id has letters, digits and any of `_ . -`, begins with a letter or a digit, and holds no `__`, so that a tool's identity has one reading.",
    fix: "Rename the server.",
  });
}

/** A tool's parsed identity; `server` is null for a tool that the agent runs itself. */
export interface ToolParts {
  readonly server: string | null;
  readonly tool: string;
}

/** `mcp__{server}__{tool}` split at its two separators; anything else is a name without a server. */
export function parseToolId(id: string): ToolParts {
  if (!id.startsWith(PREFIX)) return { server: null, tool: id };
  const end = id.indexOf("__", PREFIX.length);
  if (end <= PREFIX.length || end + 2 >= id.length) return { server: null, tool: id };
  return { server: id.slice(PREFIX.length, end), tool: id.slice(end + 2) };
}

export const toToolId = (server: string, tool: string): string => `${PREFIX}${server}__${tool}`;

/** The data set that a tool's results belong to: its server, or the tool itself. */
export const dataSetOf = (tool: Tool): string => tool.server ?? tool.name;

/** The label that a source declares: what is left out is the least. */
export function toSource(lattice: Lattice, declared: LabelDeclaration): Label {
  const level = declared.level ?? lattice.levels[0] ?? "";
  return createLabel(level, declared.categories ?? [], declared.trust ?? lattice.trust.at(-1) ?? "");
}

/**
 * The clearance that a sink declares: no category and no demand on trust where they are left out.
 * @throws SluicegateError `policy-invalid` where it names no level.
 */
export function toClearance(lattice: Lattice, declared: LabelDeclaration): Label {
  if (declared.level === undefined) {
    throw new SluicegateError("policy-invalid", "A sink names no level.", {
      why: "A clearance says the highest level that may be sent, so leaving it out would let nothing or everything through.",
      fix: `Write the level, such as \`sink: ${lattice.levels[0]}\`.`,
    });
  }
  return createLabel(declared.level, declared.categories ?? [], declared.trust ?? lattice.trust[0] ?? "");
}

function clearancesOf(lattice: Lattice, declared: ToolDeclaration): readonly Label[] | null {
  // The recipients aren't known here, so assume the lowest clearance.
  if (declared.to !== undefined) return Object.freeze([lowestClearance(lattice)]);
  if (declared.sink !== undefined) {
    return Object.freeze(declared.sink.map((sink) => toClearance(lattice, sink)));
  }
  return declared.permissions.includes("connect") ? Object.freeze([lowestClearance(lattice)]) : null;
}

/** A classified tool from its declaration, of the shape of one. `name` is the one shown. */
export function defineTool(lattice: Lattice, id: string, name: string, declared: ToolDeclaration): Tool {
  return Object.freeze({
    id,
    name,
    server: parseToolId(id).server,
    permissions: Object.freeze(PERMISSIONS.filter((permission) => declared.permissions.includes(permission))),
    source: declared.source === undefined ? null : toSource(lattice, declared.source),
    sourceBound: declared.sourceBound ?? "least",
    clearances: clearancesOf(lattice, declared),
    tags: Object.freeze([...(declared.tags ?? [])]),
    approval: declared.approval ?? "never",
    onViolation: declared.onViolation ?? "deny",
    approvers: declared.approvers ?? 1,
    to: declared.to === undefined ? null : Object.freeze([...declared.to]),
    critical: Object.freeze([...(declared.critical ?? [])]),
    payload: Object.freeze([...(declared.payload ?? [])]),
    isDestructive: declared.isDestructive ?? true,
    classified: true,
  });
}

/** A tool that nobody has classified: needs everything, brings in the top label, may receive the lowest. */
export function unclassifiedTool(lattice: Lattice, id: string, name: string): Tool {
  return Object.freeze({
    id,
    name,
    server: parseToolId(id).server,
    permissions: PERMISSIONS,
    source: topLabel(lattice),
    sourceBound: "least",
    clearances: Object.freeze([lowestClearance(lattice)]),
    tags: Object.freeze([]),
    approval: "always",
    onViolation: "deny",
    approvers: 1,
    to: null,
    critical: Object.freeze([]),
    payload: Object.freeze([]),
    isDestructive: true,
    classified: false,
  });
}
