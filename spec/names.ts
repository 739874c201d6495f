/**
 * What names mean, and what is declared of the tools behind them: the reference for `src/core/tools/names.ts` and
 * `src/core/tools/declared-tools.ts`, to be checked by eye. Every question searches the lists again.
 */
import type * as core from "../src/core/index.ts";
import * as labels from "./label.ts";

/** Tool names by server, for the servers that have been asked. */
export type Offered = ReadonlyMap<string, readonly string[]>;

/** The part of a world that names depend on. */
export interface Names {
  readonly policy: core.PolicyDeclaration;
  readonly offered: Offered;
}

/** `rank`: 0 where its own key declares it, 1 where a pattern does, 2 where nothing does. */
export type Tool = core.ToolDeclaration & {
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

export function namesOf(id: string): readonly string[] {
  const [server, tool] = parts(id);
  const short = [`${server}__${tool}`, tool].filter((name) => !name.startsWith("mcp__"));
  return server === null ? [id] : [id, ...short];
}

export const isPattern = (key: string): boolean => key.includes("*");

/** `*` stands for any run of characters. */
const matchesText = (pattern: string, text: string): boolean =>
  new RegExp(`^${pattern.split("*").map(RegExp.escape).join(".*")}$`, "s").test(text);

/** Server against server and tool against tool; `*` alone matches every tool. */
export function matches(pattern: string, name: string): boolean {
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
function toTool({ policy, offered }: Names, id: string): Tool {
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
function toolsOf(world: Names): readonly Tool[] {
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
function isReserved({ policy }: Names, server: string, name: string): boolean {
  const declared = keysOf(policy).flatMap(([key]) => (isPattern(key) ? [] : (parts(key)[0] ?? [])));
  const others = [...Object.keys(policy.servers ?? {}), ...declared].filter((other) => other !== server);
  const prefix = name.includes("__") ? lookOf(`${name.split("__")[0]}`) : "";
  const own =
    /^((m|rn)cp|s[1il|]u[1il|]cegate)[^a-z0-9|]|^rep[o0]rt[^a-z0-9|]+[1il|](m|rn)p[o0]ss[1il|]b[1il|]e/i;
  return own.test(name) || others.some((other) => lookOf(other) === prefix);
}

/** The names that a tool claims beside `mcp__…`: none that a pattern keeps for the agent's own tools. */
function claimsOf(world: Names, { id }: Tool): readonly string[] {
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
export function meaningOf(world: Names, name: string): readonly Tool[] {
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

export const serverOf = ({ id }: Tool): string | null => parts(id)[0];

/** Whether a pattern alone may say what a name is: the agent's own, or of a configured server not asked yet. */
function isOpen({ policy, offered }: Names, name: string): boolean {
  const servers = Object.keys(policy.servers ?? {});
  const [server] = parts(name);
  if (server !== null) return servers.includes(server) && !offered.has(server);
  return (
    !name.startsWith("mcp__") && !servers.some((one) => name.includes("__") && name.split("__")[0] === one)
  );
}

/** What takes something away reaches a tool by any of its names, in capitals or not. */
export const reaches = (entry: string, { id }: Tool): boolean =>
  namesOf(id).some((name) => matches(entry.toLowerCase(), name.toLowerCase()));

/** What gives something reaches it by those alone that mean it and no other. */
export const meansAlone = (world: Names, entry: string, { id }: Tool): boolean =>
  namesOf(id).some((name) => {
    const meant = matches(entry, name) ? meaningOf(world, name) : [];
    return meant.length === 1 && meant[0]?.id === id;
  });
