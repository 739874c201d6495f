/**
 * What a call may do, read off the declaration: the reference for `src/core/decide.ts`, to be checked by eye.
 * Nothing is compiled or remembered; every question searches the lists again.
 */
import type * as core from "../src/core/index.ts";
import { causeOf, saidTo } from "./approval.ts";
import * as labels from "./label.ts";

/** Tool names by server, for the servers that have been asked. */
export type Offered = ReadonlyMap<string, readonly string[]>;

/** `tools` are the identities it was narrowed to, `limits` the tool policies it was tightened with. */
export interface Session {
  readonly events: readonly core.SessionEvent[];
  readonly closed: boolean;
  readonly principal: string;
  readonly role: string | null;
  readonly tools: readonly string[] | null;
  readonly limits: readonly core.ToolPolicy[];
  /** The identities whose definition isn't the one that was accepted. */
  readonly changed: ReadonlySet<string>;
  readonly label: labels.Label;
}

/** The effect, the codes of all reasons, why a person is asked, and what the call brings in if it runs. */
export interface Answer {
  readonly effect: core.Effect;
  readonly codes: ReadonlySet<core.ReasonCode>;
  readonly causes: ReadonlySet<core.AskCause>;
  readonly source: labels.Label | null;
  /** The session's label may not go to the tool: only a person lets the call pass. */
  readonly release: boolean;
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
  return {
    events,
    closed,
    principal: opened?.principal ?? "",
    role: opened?.role ?? null,
    tools: opened?.tools ?? null,
    limits: [],
    changed: new Set(),
    label,
  };
}

export function decide(
  policy: core.PolicyDeclaration,
  offered: Offered,
  session: Session,
  call: core.Call,
  facts: core.Facts,
): Answer {
  const world = { policy, offered, session, facts, call };
  const candidates = meaningOf(world, call.tool);
  const there = candidates.filter(({ missing }) => !missing);
  const [meant] = candidates.length === 1 ? there : [];
  const objections = there.map((tool) => objectionsTo(world, tool));
  const seen = objections.filter((codes) => codes.every((code) => CHANGING.includes(code))).length > 1;
  const none = [seen ? "ambiguous-tool" : "unknown-tool"] as const;
  const codes = new Set<core.ReasonCode>(meant ? objections[0] : none);
  if (session.closed) codes.add("session-closed");
  if (facts.faults?.length) codes.add("fault");
  const isReleasable = meant?.onViolation === "ask" && !isWithin(world, meant);
  const asks: readonly core.ReasonCode[] = ["approval-required", ...(isReleasable ? FLOW : [])];
  const denied = [...codes].some((code) => !asks.includes(code));
  const source = !denied && meant?.source ? labels.sourceOf(labels.latticeOf(policy), meant.source) : null;
  const effect = denied ? "deny" : codes.size > 0 ? "ask" : "allow";
  const causes = new Set(meant && codes.has("approval-required") ? causesOf(world, meant) : []);
  return { effect, codes, causes, source, release: !denied && isReleasable };
}

const FLOW = ["flow-blocked"] as const;

/** What holds a tool back at times only: a session sees the tool all the same. */
const CHANGING: readonly core.ReasonCode[] = [
  ...FLOW,
  "protected-path",
  "approval-required",
  "approval-denied",
  "approval-expired",
];

type World = {
  readonly policy: core.PolicyDeclaration;
  readonly offered: Offered;
  readonly session: Session;
  readonly facts: core.Facts;
  readonly call: core.Call;
};
/** `rank`: 0 where its own key declares it, 1 where a pattern does, 2 where nothing does. */
type Tool = core.ToolDeclaration & {
  readonly id: string;
  readonly rank: number;
  readonly classified: boolean;
  /** Its server was asked and doesn't offer it. */
  readonly missing: boolean;
};

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
function toTool({ policy, offered }: World, id: string): Tool {
  const [server, name] = parts(id);
  const missing = server !== null && offered.get(server)?.includes(name) === false;
  const fixed = (key: string): number => (isPattern(key) ? key.replaceAll("*", "").length : Infinity);
  const says = keysOf(policy).filter(([key]) => (isPattern(key) ? matches(key, id) : key === id));
  const most = Math.max(...says.map(([key]) => fixed(key)));
  const found = says.find(([key]) => fixed(key) === most);
  if (found) return { ...found[1], id, rank: most === Infinity ? 0 : 1, classified: true, missing };
  const source = { level: "*", categories: ["*"], trust: `${labels.latticeOf(policy).trust[0]}` };
  const permissions = ["read", "write", "connect"] as const;
  return { id, rank: 2, classified: false, missing, permissions, source, approval: "always" };
}

/** Those declared by name, whether their servers offer them or not, and those offered. */
function toolsOf(world: World): readonly Tool[] {
  const declared = keysOf(world.policy).flatMap(([key]) => (isPattern(key) ? [] : [key]));
  const listed = [...world.offered].flatMap(([server, tools]) =>
    tools.filter(Boolean).map((tool) => `mcp__${server}__${tool}`),
  );
  return [...new Set([...declared, ...listed])].map((id) => toTool(world, id));
}

const isVisible = (name: string): boolean => /^[!-~]*$/.test(name);

/** A name without what is easily overlooked. */
function lookOf(name: string): string {
  const bare = name.replace(/[^A-Za-z0-9|]/g, "");
  const same = [/[1Iil|L]/g, /[0Oo]/g, /rn/gi, /vv/gi].reduce(
    (text, one, at) => text.replace(one, `${"lomw"[at]}`),
    bare,
  );
  return isVisible(name) ? same.toLowerCase() || name : name;
}

/** Whether a server's tool may not be called so for short: it would read like another's, or the gateway's own. */
function isReserved({ policy }: World, server: string, name: string): boolean {
  const declared = keysOf(policy).flatMap(([key]) => (isPattern(key) ? [] : (parts(key)[0] ?? [])));
  const others = [...Object.keys(policy.servers ?? {}), ...declared].filter((other) => other !== server);
  const prefix = name.includes("__") ? lookOf(`${name.split("__")[0]}`) : "";
  const own = /^((m|rn)cp|s[1il|]u[1il|]cegate)[^a-z0-9|]|^rep[o0]rt[^a-z0-9|]+[1il|](m|rn)p[o0]ss[1il|]b[1il|]e/i;
  return own.test(name) || others.some((other) => lookOf(other) === prefix);
}

/** The names that a tool claims beside `mcp__…`: none that a pattern keeps for the agent's own tools. */
function claimsOf(world: World, { id }: Tool): readonly string[] {
  const [server, name] = parts(id);
  if (server === null) return [id];
  const short = isReserved(world, server, name) ? [] : [name];
  const full = [`${server}__${name}`].filter((one) => !/^(mcp__|sluicegate_)/.test(one));
  const keys = keysOf(world.policy).flatMap(([key]) => (isPattern(key) && key !== "*" ? [key] : []));
  const isOwn = (one: string) => keys.some((key) => parts(key)[0] === null && matches(key, one));
  return isVisible(name) ? [...short, ...full].filter((one) => !isOwn(one)) : [];
}

/**
 * The tools that a name could mean; one alone, and not missing, is what it means. It is the one whose identity it
 * is. Else it is of those that claim it the highest in rank, unless a still higher one of another server claims
 * a name that looks like it; in one rank, names of several servers that look alike could mean any of them. What
 * nobody claims is a tool that a pattern alone declares.
 */
function meaningOf(world: World, name: string): readonly Tool[] {
  const tools = toolsOf(world);
  const same = tools.filter(({ id }) => id === name);
  if (same.length > 0) return same;
  const alike = tools.filter((tool) => claimsOf(world, tool).some((one) => lookOf(one) === lookOf(name)));
  const claiming = alike.filter((tool) => claimsOf(world, tool).includes(name));
  if (claiming.length === 0)
    return [toTool(world, name)].filter((tool) => isOpen(world, name) && tool.classified);
  const highest = Math.min(...claiming.map(({ rank }) => rank));
  const above = alike.filter(({ rank }) => rank < highest).map(serverOf);
  const peers = alike.filter((tool) => tool.rank === highest && above.every((one) => one === serverOf(tool)));
  const isShared = new Set(peers.map(serverOf)).size > 1;
  return isShared && claiming.some((tool) => peers.includes(tool))
    ? peers
    : peers.filter((tool) => claiming.includes(tool));
}

const serverOf = ({ id }: Tool): string | null => parts(id)[0];

/** Whether a pattern alone may say what a name is: the agent's own, or of a configured server not asked yet. */
function isOpen({ policy, offered }: World, name: string): boolean {
  const servers = Object.keys(policy.servers ?? {});
  const [server] = parts(name);
  if (server !== null) return servers.includes(server) && !offered.has(server);
  return (
    !name.startsWith("mcp__") && !servers.some((one) => name.includes("__") && name.split("__")[0] === one)
  );
}

/** Everything that speaks against calling a tool now, but for a closed session and faults. */
function objectionsTo(world: World, tool: Tool): readonly core.ReasonCode[] {
  const { policy, session, facts } = world;
  const grants = [facts.granted, roleOf(world).permissions].filter((grant) => grant !== undefined);
  const said = causesOf(world, tool).length > 0 ? personSays(facts.asked, session.events) : "approved";
  const isReleased = tool.onViolation === "ask" && said === "approved";
  const objections = [
    !tool.classified && policy.unclassified !== "ask" && "unclassified-tool",
    tool.classified && session.changed.has(tool.id) && "definition-changed",
    ...removalsOf(world, tool),
    session.tools?.includes(tool.id) === false && "hidden",
    facts.visible?.has(tool.id) === false && "hidden",
    grants.some((grant) => !tool.permissions.every((needed) => grant.includes(needed))) &&
      "permission-missing",
    !isWithin(world, tool) && !isReleased && "flow-blocked",
    facts.isProtected && "protected-path",
    said !== "approved" && (`approval-${said}` as const),
  ] as const;
  return objections.filter((code) => code !== false && code !== undefined);
}

/** Whether the session's label may go to the tool: any one clearance is enough, and without one all may. */
function isWithin({ policy, session }: World, { permissions, sink }: Tool): boolean {
  const lattice = labels.latticeOf(policy);
  const lowest = permissions.includes("connect") ? [{ level: `${lattice.levels[0]}` }] : undefined;
  const clearances = (sink ?? lowest)?.map((one) => labels.clearanceOf(lattice, one));
  return clearances?.some((one) => one && labels.flowsTo(session.label, one)) ?? true;
}

/** Why a person must say yes: the declaration or the role, what the provider found, and a release. */
function causesOf(world: World, tool: Tool): readonly core.AskCause[] {
  const { policy, session, facts, call } = world;
  const { principal, role, label } = session;
  const { levels, trust } = labels.latticeOf(policy);
  const says = roleSays(world, tool) ?? tool.approval ?? "never";
  const of = { level: levels[label.level] ?? "*", trust: `${trust[label.trust]}`, principal, role };
  const told = {
    tool: { name: tool.id, server: serverOf(tool) },
    session: { ...of, categories: [...label.categories] },
  };
  const cause = causeOf({ says, classified: tool.classified, arguments: call.arguments, facts: told });
  const releases = tool.onViolation === "ask" && !isWithin(world, tool);
  return [cause ?? [], facts.asks ?? [], releases ? ("release" as const) : []].flat();
}

/** What the person's answer does where one is asked for: a no stays a no, and who was held in vain is told. */
function personSays(asked: core.Asked | undefined, events: readonly core.SessionEvent[]) {
  const said = asked ? saidTo(events, asked) : null;
  if (said !== null || asked?.heldUntil === undefined) return said ?? "required";
  return asked.heldUntil <= asked.at ? "expired" : "required";
}

/** A role's word on a tool: a name before a pattern, and of those `always` before `never`. */
function roleSays(world: World, tool: Tool): "always" | "never" | undefined {
  const entries = Object.entries(roleOf(world).approval ?? {});
  for (const inPatterns of [false, true]) {
    const those = entries.filter(([entry]) => isPattern(entry) === inPatterns);
    if (those.some(([entry, word]) => word === "always" && reaches(entry, tool))) return "always";
    if (those.some(([entry, word]) => word === "never" && meansAlone(world, entry, tool))) return "never";
  }
  return undefined;
}

/** No role: no limit. A role that is gone: no tool and no permission. */
function roleOf({ policy: { roles = {} }, session: { role } }: World): core.RoleDeclaration {
  return role === null ? {} : (new Map(Object.entries(roles)).get(role) ?? { tools: [], permissions: [] });
}

/** Denied ∪, allowed ∩, tags ∪ of all the tool policies, and the role's tool set: each that takes it away. */
function removalsOf(world: World, tool: Tool): readonly (core.ReasonCode | false)[] {
  const role = roleOf(world);
  const stack: readonly core.ToolPolicy[] = [world.policy.policy ?? {}, ...world.session.limits, role];
  const denies = (entry: string): boolean => reaches(entry, tool);
  const admits = (entry: string): boolean => meansAlone(world, entry, tool);
  const lacks = (tag: string): boolean => !tool.tags?.includes(tag);
  return [
    stack.some(({ deniedTools }) => deniedTools?.some(denies)) && "denied-by-policy",
    stack.some(({ allowedTools }) => allowedTools?.some(admits) === false) && "denied-by-policy",
    stack.some(({ requireTags }) => requireTags?.some(lacks)) && "missing-tag",
    role.tools?.some(admits) === false && "not-in-tool-set",
  ];
}

/** What takes something away reaches a tool by any of its names. */
const reaches = (entry: string, { id }: Tool): boolean => namesOf(id).some((name) => matches(entry, name));

/** What gives something reaches it by those alone that mean it and no other. */
const meansAlone = (world: World, entry: string, { id }: Tool): boolean =>
  namesOf(id).some((name) => {
    const meant = matches(entry, name) ? meaningOf(world, name) : [];
    return meant.length === 1 && meant[0]?.id === id;
  });
