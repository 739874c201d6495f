/**
 * What a call may do, read off the declaration: the reference for `src/core/decide.ts`, to be checked by eye.
 * Nothing is compiled or remembered; every question searches the lists again.
 */
import type * as core from "../src/core/index.ts";
import * as labels from "./label.ts";

/** Tool names by server, for the servers that have been asked. */
export type Offered = ReadonlyMap<string, readonly string[]>;

/** `tools` are the identities it was narrowed to, `limits` the tool policies it was tightened with. */
export interface Session {
  readonly closed: boolean;
  readonly role: string | null;
  readonly tools: readonly string[] | null;
  readonly limits: readonly core.ToolPolicy[];
  readonly label: labels.Label;
}

/** The effect, the codes of all reasons, and what the call brings in if it runs. */
export interface Answer {
  readonly effect: core.Effect;
  readonly codes: ReadonlySet<core.ReasonCode>;
  readonly source: labels.Label | null;
}

/** What a history adds up to; its label is the join of every label that came in. */
export function sessionOf(lattice: core.Lattice, events: readonly core.SessionEvent[]): Session {
  const opened = events.find((event) => event.kind === "session-opened");
  const sources = events.flatMap((event) => {
    if (event.kind === "call-admitted") return event.source === null ? [] : [event.source];
    return event.kind === "label-raised" ? [event.source] : [];
  });
  const closed = events.some((event) => event.kind === "session-closed");
  const added = sources.map((source) => labels.labelOf(lattice, source));
  const label = added.reduce(labels.join, labels.bottom(lattice));
  return { closed, role: opened?.role ?? null, tools: opened?.tools ?? null, limits: [], label };
}

export function decide(
  policy: core.PolicyDeclaration,
  offered: Offered,
  session: Session,
  call: core.Call,
  facts: core.Facts,
): Answer {
  const world = { policy, offered, session, facts };
  const meant = meaningOf(world, call.tool);
  const objections = meant.map((tool) => objectionsTo(world, tool));
  const seen = objections.filter((codes) => codes.every((code) => CHANGING.includes(code))).length > 1;
  const none = [seen ? "ambiguous-tool" : "unknown-tool"] as const;
  const codes = new Set<core.ReasonCode>(meant.length === 1 ? objections[0] : none);
  if (session.closed) codes.add("session-closed");
  if (facts.faults?.length) codes.add("fault");
  const denied = [...codes].some((code) => code !== "approval-required");
  const brings = denied ? undefined : meant[0]?.source;
  const source = brings ? labels.sourceOf(labels.latticeOf(policy), brings) : null;
  return { effect: denied ? "deny" : codes.size > 0 ? "ask" : "allow", codes, source };
}

/** What holds a tool back at times only: a session sees the tool all the same. */
const CHANGING: readonly core.ReasonCode[] = ["flow-blocked", "approval-required"];

type World = { policy: core.PolicyDeclaration; offered: Offered; session: Session; facts: core.Facts };
type Tool = core.ToolDeclaration & { readonly id: string; readonly classified: boolean };

/** `mcp__{server}__{tool}`, split at the first `__` after the server; any other name has no server. */
function parts(name: string): readonly [server: string | null, tool: string] {
  const [prefix, server, ...rest] = name.split("__");
  const tool = rest.join("__");
  return prefix === "mcp" && server && tool ? [server, tool] : [null, name];
}

function namesOf(id: string): readonly string[] {
  const [server, tool] = parts(id);
  const short = [`${server}__${tool}`, tool].filter((name) => !name.startsWith("mcp__"));
  return server === null ? [id] : [id, ...short];
}

const isPattern = (key: string): boolean => key.includes("*");

/** `*` stands for any run of characters. */
const matchesText = (pattern: string, text: string): boolean =>
  new RegExp(`^${pattern.split("*").map(RegExp.escape).join(".*")}$`, "s").test(text);

/** Server against server and tool against tool; `*` alone matches every tool. */
function matches(pattern: string, name: string): boolean {
  const [[server, tool], [servers, tools]] = [parts(name), parts(pattern)];
  if (pattern === "*" || (server === null && servers === null)) return matchesText(pattern, name);
  return server !== null && servers !== null && matchesText(servers, server) && matchesText(tools, tool);
}

/** Every key, written as an identity, with what it says: in the order of the alphabet. */
function keysOf({ tools = {}, servers = {} }: core.PolicyDeclaration) {
  const under = Object.entries(servers).flatMap(([server, { tools: own = {} }]) =>
    Object.entries(own).map(([tool, says]) => [`mcp__${server}__${tool}`, says] as const),
  );
  const keys = [...Object.entries(tools), ...under];
  return keys.sort(([left], [right]) => Number(left > right) - Number(left < right));
}

/**
 * A tool as its own key declares it, else the pattern with the most fixed characters (of several, the first in
 * the alphabet); where none does, the worst of a source and of a sink.
 */
function toTool({ policy }: World, id: string): Tool {
  const fixed = (key: string): number => (isPattern(key) ? key.replaceAll("*", "").length : Infinity);
  const says = keysOf(policy).filter(([key]) => (isPattern(key) ? matches(key, id) : key === id));
  const most = Math.max(...says.map(([key]) => fixed(key)));
  const found = says.find(([key]) => fixed(key) === most);
  if (found) return { ...found[1], id, classified: true };
  const source = { level: "*", categories: ["*"], trust: `${labels.latticeOf(policy).trust[0]}` };
  return { id, classified: false, permissions: ["read", "write", "connect"], source, approval: "always" };
}

/**
 * The tools that a name could mean, of those declared by name (unless their server was asked and doesn't offer
 * them) and those offered: the one whose identity it is; else classified ones; else unclassified ones. Else it is
 * one that a pattern alone declares, the agent's own or of a configured server that wasn't asked yet.
 */
function meaningOf(world: World, name: string): readonly Tool[] {
  const { policy, offered } = world;
  const keys = keysOf(policy).map(([key]) => key);
  const declared = keys.filter((key) => !isPattern(key) && !offered.has(parts(key)[0] ?? ""));
  const listed = [...offered].flatMap(([server, tools]) =>
    tools.filter(Boolean).map((tool) => `mcp__${server}__${tool}`),
  );
  const own = keys.some(
    (key) => isPattern(key) && key !== "*" && parts(key)[0] === null && matches(key, name),
  );
  const ids = [...new Set([...declared, ...listed])].filter(
    (id) => id === name || (!own && namesOf(id).includes(name)),
  );
  const tools = ids.map((id) => toTool(world, id));
  const same = tools.filter(({ id }) => id === name);
  const known = tools.filter(({ classified }) => classified);
  const [server] = parts(name);
  const unasked = Object.keys(policy.servers ?? {}).filter((one) => !offered.has(one));
  const prefixed = Object.keys(policy.servers ?? {}).some(
    (one) => name.split("__")[0] === one && name.includes("__"),
  );
  const open = server === null ? !name.startsWith("mcp__") && !prefixed : unasked.includes(server);
  const other = [toTool(world, name)].filter(({ classified }) => open && classified);
  return [same, known, tools].find((found) => found.length > 0) ?? other;
}

/** Everything that speaks against calling a tool now, but for a closed session and faults. */
function objectionsTo(world: World, tool: Tool): readonly core.ReasonCode[] {
  const { policy, session, facts } = world;
  const lattice = labels.latticeOf(policy);
  const grants = [facts.granted, roleOf(world).permissions].filter((grant) => grant !== undefined);
  const lowest = tool.permissions.includes("connect") ? [{ level: `${lattice.levels[0]}` }] : undefined;
  const clearances = (tool.sink ?? lowest)?.map((sink) => labels.clearanceOf(lattice, sink));
  const objections = [
    !tool.classified && policy.unclassified !== "ask" && "unclassified-tool",
    ...removalsOf(world, tool),
    session.tools?.includes(tool.id) === false && "hidden",
    facts.visible?.has(tool.id) === false && "hidden",
    grants.some((grant) => !tool.permissions.every((needed) => grant.includes(needed))) &&
      "permission-missing",
    clearances?.some((one) => one && labels.flowsTo(session.label, one)) === false && "flow-blocked",
    tool.approval === "always" && "approval-required",
  ] as const;
  return objections.filter((code) => code !== false);
}

/** No role: no limit. A role that is gone: no tool and no permission. */
function roleOf({ policy: { roles = {} }, session: { role } }: World): core.RoleDeclaration {
  return role === null ? {} : (new Map(Object.entries(roles)).get(role) ?? { tools: [], permissions: [] });
}

/** Denied ∪, allowed ∩, tags ∪ of all the tool policies, and the role's tool set: each that takes it away. */
function removalsOf(world: World, tool: Tool): readonly (core.ReasonCode | false)[] {
  const role = roleOf(world);
  const stack: readonly core.ToolPolicy[] = [world.policy.policy ?? {}, ...world.session.limits, role];
  const names = namesOf(tool.id);
  const isAlone = ([first, ...others]: readonly Tool[]) => first?.id === tool.id && others.length === 0;
  /** A deny entry reaches a tool by any of its names, an allow entry by those that mean it and no other. */
  const denies = (entry: string): boolean => names.some((name) => matches(entry, name));
  const admits = (entry: string): boolean =>
    names.some((name) => matches(entry, name) && isAlone(meaningOf(world, name)));
  const lacks = (tag: string): boolean => !tool.tags?.includes(tag);
  return [
    stack.some(({ deniedTools }) => deniedTools?.some(denies)) && "denied-by-policy",
    stack.some(({ allowedTools }) => allowedTools?.some(admits) === false) && "denied-by-policy",
    stack.some(({ requireTags }) => requireTags?.some(lacks)) && "missing-tag",
    role.tools?.some(admits) === false && "not-in-tool-set",
  ];
}
