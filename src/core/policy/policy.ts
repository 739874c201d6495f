/**
 * The compiled policy: frozen data with one record per tool, so that a decision looks up and compares and
 * never searches. Built from a declaration; tightened for a child; never widened.
 */
import { ToolRestrictions } from "../decision/tool-restrictions.ts";
import {
  type EndorsementDeclaration,
  type EndorsementRules,
  toEndorsementRules,
} from "../endorsement/endorsement-rules.ts";
import { createLattice, type Label, type Lattice } from "../label/label.ts";
import {
  classifyOffered,
  declaredTools,
  ownNames,
  patternsOf,
  serversOf,
  type ToolHints,
} from "../tools/declared-tools.ts";
import { type CompiledName, compileNames } from "../tools/look-up.ts";
import { toMethods } from "../tools/method-tools.ts";
import { isMethodId } from "../tools/methods.ts";
import { createToolNames, type ToolNames } from "../tools/names.ts";
import { learnOffered, type OfferedList } from "../tools/offered.ts";
import {
  assertServerId,
  defineTool,
  type LabelDeclaration,
  type Permission,
  type Tool,
  type ToolDeclaration,
  unclassifiedTool,
} from "../tools/tool.ts";
import {
  type Entries,
  type Limit,
  type Removal,
  removalsOf,
  type ToolPolicy,
  textOf,
  toLimit,
} from "../tools/tool-policy.ts";
import { type ApprovalRules, type ApprovalsDeclaration, toApprovalRules } from "./approval-rules.ts";
import { assertDeclaration, assertLabels, POLICY_SHAPE } from "./declaration-shape.ts";
import { copy, lock } from "./frozen.ts";
import { buildRoles, type RoleApproval, type RoleApprovalDeclaration } from "./roles.ts";
import { type Rule, type RuleDeclaration, toRules } from "./rules.ts";
import { assertShape } from "./shape.ts";

export interface ServerDeclaration {
  /** For what comes without a call of a tool; by default the join of its declared tools' sources. */
  readonly source?: LabelDeclaration;
  readonly sink?: readonly LabelDeclaration[];
  /** By the server's own tool names. */
  readonly tools?: Readonly<Record<string, ToolDeclaration>>;
}

/** A role: a tool set by name, and what it is granted. It has the keys of a tool policy as well. */
export interface RoleDeclaration extends ToolPolicy {
  readonly tools?: readonly string[];
  /** Left out: what its tools declare. */
  readonly permissions?: readonly Permission[];
  /** Whether a person must approve, in place of what a tool itself declares. */
  readonly approval?: RoleApprovalDeclaration;
  /** What a session's final answer may hold, where its host asks: any one is enough. Left out: whatever it is. */
  readonly clearance?: readonly LabelDeclaration[];
}

/** A policy as people write it, in code or in `sluicegate.yaml`. */
export interface PolicyDeclaration extends EndorsementDeclaration {
  readonly levels?: readonly string[];
  readonly trust?: readonly string[];
  /** The categories that an agent may name in what it reports. Left out: any. */
  readonly categories?: readonly string[];
  readonly servers?: Readonly<Record<string, ServerDeclaration>>;
  /** By identity, by a plain name for a tool that the agent runs itself, or by pattern. */
  readonly tools?: Readonly<Record<string, ToolDeclaration>>;
  readonly roles?: Readonly<Record<string, RoleDeclaration>>;
  readonly policy?: ToolPolicy;
  /** What happens to tools that nobody classified: kept out, or asked about at each call. */
  readonly unclassified?: "withhold" | "ask";
  readonly approvals?: ApprovalsDeclaration;
  /** Which calls are denied or need a person's approval, whatever else is said of their tools. */
  readonly rules?: readonly RuleDeclaration[];
}

export interface Role {
  readonly name: string;
  /** Null: what its tools declare. */
  readonly permissions: readonly Permission[] | null;
  /** Null: what its tools declare. */
  readonly approval: RoleApproval | null;
  /** What a final answer may hold; null: whatever it is. */
  readonly clearances: readonly Label[] | null;
  readonly limit: Limit;
  /** Its tool set; null: every tool. */
  readonly tools: Entries | null;
  /** The tools it doesn't have, each with the reasons, those of the policy included. */
  readonly removed: ReadonlyMap<string, readonly RoleRemoval[]>;
  /** The reasons against each tool in it. */
  readonly standing: ToolRestrictions;
}

export type RoleRemoval = Removal | "not-in-tool-set";

/** The operator's rules, ready to decide with. Immutable. */
export interface Policy {
  /** The hash of its content. */
  readonly version: string;
  readonly lattice: Lattice;
  readonly tools: ReadonlyMap<string, Tool>;
  /** What servers offer besides tools, by the identity under which it is decided on. */
  readonly methods: ReadonlyMap<string, Tool>;
  readonly names: ToolNames;
  /** What each name means, by every name of every tool and the identity of every method. */
  readonly meanings: ReadonlyMap<string, CompiledName>;
  readonly roles: ReadonlyMap<string, Role>;
  readonly unclassified: "withhold" | "ask";
  readonly approvals: ApprovalRules;
  readonly rules: readonly Rule[];
  /** What must be the user's word, and who may receive what. */
  readonly endorsement: EndorsementRules;
  /** The tools that its tool policies take from everybody, each with the reasons. */
  readonly removed: ReadonlyMap<string, readonly Removal[]>;
  /** The reasons against each tool for everybody. */
  readonly standing: ToolRestrictions;
  /** The classified tools whose definition isn't the one that was accepted. */
  readonly changed: ReadonlySet<string>;
  /** What it was built from: to look up patterns, and to build a tighter one. */
  readonly origin: PolicyOrigin;
}

export interface PolicyOrigin {
  readonly lattice: Lattice;
  readonly declaration: PolicyDeclaration;
  readonly limits: readonly Limit[];
  /** Tool names of the servers that have been asked for their list; a server that hasn't is missing. */
  readonly offered: ReadonlyMap<string, ReadonlySet<string>>;
  /** Identities of offered tools whose definition isn't the one that was accepted. */
  readonly changed: ReadonlySet<string>;
  /** What servers say of their own tools: which permissions each needs, by identity. */
  readonly hints: ToolHints;
}

export interface PolicyOptions {
  readonly version?: string;
}

/**
 * A policy from its declaration.
 * @throws SluicegateError `policy-invalid` for a lattice or a sink that can't be, and for an unknown level or trust; InvalidToolError for a role
 * that names a tool nobody declares.
 */
export function definePolicy(declaration: PolicyDeclaration, options: PolicyOptions = {}): Policy {
  assertDeclaration(declaration);
  const own = copy(declaration);
  for (const id of Object.keys(own.servers ?? {})) assertServerId(id);
  const limits = own.policy ? [toLimit(own.policy)] : [];
  const { levels, trust } = own;
  const lattice = createLattice({ ...(levels && { levels }), ...(trust && { trust }) });
  assertLabels(lattice, own);
  // What a pattern says is used when a call comes, which is too late for an error.
  for (const tool of allTools(own)) defineTool(lattice, "*", "*", tool);
  return build(options.version ?? "unversioned", {
    declaration: own,
    lattice,
    limits: Object.freeze(limits),
    offered: lock(new Map()),
    changed: lock(new Set()),
    hints: lock(new Map()),
  });
}

/**
 * The same policy with one more tool policy that every tool must pass. It can only take tools away. It is another
 * version: an approval that was given under the wider one is not carried over.
 */
export function tighten(policy: Policy, limit: ToolPolicy): Policy {
  const message = "The policy can't be tightened.";
  assertShape(POLICY_SHAPE, policy, { code: "policy-invalid", message, path: "policy" });
  const limits = Object.freeze([...policy.origin.limits, toLimit(limit)]);
  return build(`${policy.version}+${textOf(limit)}`, { ...policy.origin, limits });
}

/**
 * The same policy, knowing what a server really offers: its classified tools are those declared for it or
 * matched by a pattern, and nothing that it doesn't offer is left.
 */
export const withOffered = (policy: Policy, server: string, tools: readonly string[]): Policy =>
  withAllOffered(policy, [{ server, tools }]);

/** The same policy, knowing what several servers offer, and which of it has changed since it was accepted. */
export const withAllOffered = (policy: Policy, lists: readonly OfferedList[]): Policy =>
  build(policy.version, learnOffered(policy.origin, lists));

/** Everything that is said of tools, by name or by pattern. */
const allTools = ({ servers = {}, tools = {} }: PolicyDeclaration): readonly ToolDeclaration[] => [
  ...Object.values(tools),
  ...Object.values(servers).flatMap((server) => Object.values(server.tools ?? {})),
];

function build(version: string, origin: PolicyOrigin): Policy {
  const { declaration, lattice, limits } = origin;
  const declared = declaredTools(declaration);
  const { classified, unclassified, ...ranks } = classifyOffered(declared, origin);
  const named = {
    declared: [...declared.keys()].filter((id) => !isMethodId(id)),
    servers: serversOf(declaration, declared),
    isOwn: ownNames(declaration),
  };
  const names = createToolNames({ ...named, ...ranks, unclassified });
  const tools = new Map<string, Tool>();
  for (const [id, tool] of classified) {
    if (!isMethodId(id)) tools.set(id, defineTool(lattice, id, names.shown(id), tool));
  }
  for (const id of unclassified) tools.set(id, unclassifiedTool(lattice, id, names.shown(id)));
  const methods = toMethods(lattice, declaration, declared);
  const removed = new Map<string, readonly Removal[]>();
  for (const tool of tools.values()) {
    const removals = removalsOf(limits, tool, names);
    if (removals.length > 0) removed.set(tool.id, Object.freeze(removals));
  }
  const rules = {
    unclassified: declaration.unclassified ?? "withhold",
    changed: lock(new Set([...origin.changed].filter((id) => classified.has(id)))),
  };
  const endorsement = toEndorsementRules(lattice, declaration, allTools(declaration));
  const nameable = [...createToolNames(named).all(), ...patternsOf(declaration)];
  return Object.freeze({
    version,
    lattice,
    tools: lock(tools),
    methods: lock(methods),
    names,
    meanings: lock(compileNames(lattice, names, tools, methods, endorsement)),
    roles: lock(buildRoles(origin, rules, tools, names, nameable)),
    removed: lock(removed),
    standing: new ToolRestrictions(rules, "", tools, removed),
    approvals: toApprovalRules(declaration.approvals),
    rules: toRules(declaration.rules),
    endorsement,
    ...rules,
    origin: Object.freeze(origin),
  });
}
