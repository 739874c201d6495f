/**
 * The user's word, read off the declaration and the history: the reference for `src/core/endorsement`, to be checked by
 * eye. Words are compared one by one, in every utterance, each time.
 */
import type * as core from "../src/core/index.ts";
import * as labels from "./label.ts";
import type { Tool } from "./names.ts";

export interface Said {
  readonly policy: core.PolicyDeclaration;
  readonly events: readonly core.SessionEvent[];
  readonly facts: core.Facts;
}

const server = ({ id }: Tool): string | null => /^mcp__(.+?)__./s.exec(id)?.[1] ?? null;

const isIn = (paths: readonly string[], path: string): boolean =>
  paths.some((one) => path === one || path.startsWith(`${one}.`) || path.startsWith(`${one}[`));

const has = ({ permissions }: Tool, ...some: readonly core.Permission[]): boolean =>
  permissions.some((one) => some.includes(one));

const utterances = ({ events }: Said) =>
  events.flatMap((event) => (event.kind === "words-said" ? event.utterances : []));

const found = ({ events }: Said) =>
  events.flatMap((event) => (event.kind === "call-finished" ? (event.evidence ?? []) : []));

/** Whether the words stand one after the other in something that the user said. */
const isSaid = (world: Said, words: readonly string[]): boolean =>
  words.length > 0 &&
  utterances(world).some((said) =>
    said.some((_, start) => words.every((word, at) => said[start + at]?.includes(word))),
  );

const isOnList = (world: Said, group: string, { text, whole }: core.GivenValue): boolean =>
  (Object.entries(world.policy.groups ?? {}).some(
    ([name, { members }]) => name === group && members?.some((member) => member.toLowerCase() === text),
  ) ||
    found(world).some((one) => one.group === group && one.values.includes(whole))) ??
  false;

/** Said, or shown by evidence of a kind that the policy takes. */
function isUserWord(world: Said, tool: Tool, value: core.GivenValue): boolean {
  const { evidence = ["own", "lookup", "own-ids", "member"], groups = {} } = world.policy;
  if (value.isEdited || (!value.isWeak && isSaid(world, value.words))) return true;
  const isTo = tool.to !== undefined && isIn(tool.to, value.path);
  const shown = found(world).some(
    (one) =>
      evidence.includes(one.kind) &&
      one.values.includes(value.whole) &&
      one.kind !== "member" &&
      !(one.kind === "own" && isTo) &&
      one.server === server(tool) &&
      (one.kind !== "resolved" || tool.isDestructive === false),
  );
  const isRecipient = tool.to === undefined || isIn(tool.to, value.path);
  const isMember = Object.keys(groups).some((group) => isOnList(world, group, value));
  return shown || (evidence.includes("member") && isRecipient && isMember);
}

/** Whether a call may run without a person, as far as the user's word goes. */
export function isEndorsed(world: Said, tool: Tool, isUntrusted: boolean): boolean {
  const { critical = [], payload = [] } = tool;
  const isStrict = world.policy.endorsement === "strict" && has(tool, "write", "connect");
  if (!tool.classified || (critical.length === 0 && !isStrict)) return true;
  const { values } = world.facts;
  if (values?.some(({ path }) => path.includes("password"))) return false;
  if (!isUntrusted) return true;
  if (values === undefined) return false;
  const isCritical = ({ path }: core.GivenValue): boolean =>
    critical.length > 0 ? isIn(critical, path) : !isIn(payload, path);
  const brings = ({ links = [], isEdited }: core.GivenValue): boolean =>
    !isEdited && links.some((forms) => !forms.some((form) => isSaid(world, [form])));
  return (
    values.some(isCritical) &&
    values.every((value) => (isCritical(value) ? isUserWord(world, tool, value) : !brings(value)))
  );
}

type Clearances = readonly (labels.Label | null)[];

/** What a call may send unasked, or with a person's release; any one is enough. Null: it sends nothing out. */
export function sinkOf(world: Said, tool: Tool, withPerson: boolean): Clearances | null {
  const { policy, facts } = world;
  const lattice = labels.latticeOf(policy);
  const lowest = labels.clearanceOf(lattice, { level: `${lattice.levels[0]}` });
  const raised = (clearance: labels.Label | null) => {
    const level = withPerson ? lattice.levels.length : lattice.levels.indexOf(policy.named ?? "");
    return clearance && { ...clearance, level: Math.max(clearance.level, level) };
  };
  const isNamed = (value: core.GivenValue) => policy.named !== undefined && isUserWord(world, tool, value);
  if (tool.to !== undefined) {
    const recipients = facts.values?.filter(({ path }) => isIn(tool.to ?? [], path)) ?? [];
    if (recipients.length === 0) return facts.values && !has(tool, "connect") ? null : [lowest];
    const each = recipients.map((one) => {
      const clearance = clearanceOf(world, one) ?? lowest;
      return isNamed(one) ? raised(clearance) : clearance;
    });
    return [each.reduce(meet)];
  }
  const sink = tool.sink?.map((one) => labels.clearanceOf(lattice, one));
  const clearances = sink ?? (has(tool, "connect") ? [lowest] : null);
  const critical = facts.values?.filter(({ path }) => isIn(tool.critical ?? [], path)) ?? [];
  return critical.length > 0 && critical.every(isNamed) ? (clearances?.map(raised) ?? null) : clearances;
}

/** What both may receive. */
function meet(left: labels.Label | null, right: labels.Label | null): labels.Label | null {
  if (left === null || right === null) return null;
  const categories = left.categories.has("*")
    ? right.categories
    : right.categories.has("*")
      ? left.categories
      : left.categories.intersection(right.categories);
  const [level, trust] = [Math.min(left.level, right.level), Math.max(left.trust, right.trust)];
  return { level, categories, trust };
}

/** Whether a rule means a recipient; `partly`: as it or a part of it may also be read. */
type Meant = "yes" | "partly" | "no";

/** Texts that programs may read as other recipients than they seem; patterns don't match them. */
const UNCLEAR: readonly RegExp[] = [
  /^$|^.{1001}|[^\P{C}]|[\s,;<>()[\]{}"`|\\\u3002]|\p{Default_Ignorable_Code_Point}/su,
  // A dot where a name ends, and so `.` and `..` in a path; names in Punycode; escapes that a path needn't have.
  /\.$|\.[/?#:]|^xn--|[./@:]xn--|^[^?]*%(?!20|[89ab]|c[2-9a-f]|d|e(?!0%[89])|f(?!0%8)[0-4])|^-(?!\d+$)|:\/\/-|\*/s,
  // Mail programs read these as another host's addresses, URLs as another host.
  /^(?:[^:/?#]*:\/\/)?[^:/?#]*%|^[^@:/?#]+!.*@|^(?!.*:\/\/)[^@]+![^@]+$/s,
  // A scheme without a host, one that a mail program or a browser adds, and several addresses.
  /^\/\/|^(?:https?|wss?|ftps?|file):(?!\/\/[a-z0-9_*.-])|^mailto:|^(?!.*:\/\/).*.@.*@/s,
];

const isPlain = (text: string): boolean => {
  if (UNCLEAR.some((one) => one.test(text)) || text.normalize("NFKC") !== text) return false;
  const url = text.match(/^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/);
  const [, scheme, authority = ""] = url ?? [];
  if (url) {
    const host = scheme === "ssh" ? authority.replace(/^[^@:]+@/, "") : authority;
    const name = host.replace(/:\d+$/, "");
    const isInNumbers = /(^|\.)(0x[\da-f]*|\d+)$/.test(name);
    const isQuad = name.split(".").length === 4 && name.split(".").every((n) => /^(0|[1-9]\d{0,2})$/.test(n));
    return /^[a-z0-9_][a-z0-9_.-]*$/.test(name) && (!isInNumbers || isQuad);
  }
  if (text.includes(":/")) return false;
  const at = text.indexOf("@", 1);
  return (
    at < 0 ||
    (!/[:/?#]/.test(text.slice(0, at)) &&
      /^@[a-z0-9_][a-z0-9_.-]*(:|$)/.test(text.slice(at)) &&
      text[0] !== "@")
  );
};

function meantBy(world: Said, recipient: core.GivenValue): (pattern: string) => Meant {
  const { text } = recipient;
  const head = text.match(/^([^:/?#]*:\/\/)?[^:/?#]*/)?.[0] ?? "";
  const matches = (pattern: string, one: string): boolean =>
    new RegExp(`^${pattern.split("*").map(RegExp.escape).join(".*")}$`, "s").test(one);
  const matchesByParts = (pattern: string): boolean => {
    const [first = "", ...others] = pattern.replace(/\*+$/, "").split(/\*+/).map(RegExp.escape);
    // Git takes what stands before a colon for a host, but for what Matrix's names begin with.
    const free = pattern.startsWith("*:") ? "(?=[#@!$+])." : /^\*[/?#@%]/.test(pattern) ? "." : ".?";
    const begin = first === "" && others.length > 0 ? free : first;
    const isOpen = pattern === "*" || /.[/?#:@%]/.test(pattern);
    const end = pattern.endsWith("*") ? (isOpen ? ".*" : "[^/?#:@%]*") : "";
    return new RegExp(`^${[begin, ...others].join("[^/?#:@%]*")}${end}$`, "s").test(text);
  };
  return (pattern) => {
    if (pattern.startsWith("group:")) return isOnList(world, pattern.slice(6), recipient) ? "yes" : "no";
    if (pattern === text && !text.includes("*")) return "yes";
    if (!isPlain(text)) return "no";
    if (matchesByParts(pattern)) return "yes";
    const bare = (one: string) => one.replace(/^[^:/?#]*:\/\//, "");
    const host = bare(head).replace(/^.*@/s, "");
    const wanted = bare(pattern)
      .replace(/^\*@/, "")
      .replace(/:\d+(?=[/?#]|$)/, "");
    const isPart =
      [text, head, `${head}/`].some((one) => matches(pattern, one)) ||
      [host, `${host}/`].some((one) => matches(wanted, one));
    return isPart ? "partly" : "no";
  };
}

/**
 * The most specific entry: an address, then a group, then the pattern with the most fixed characters. What means the
 * recipient partly only takes away.
 */
function clearanceOf(world: Said, recipient: core.GivenValue): labels.Label | null {
  const lattice = labels.latticeOf(world.policy);
  const meant = meantBy(world, recipient);
  const rank = (pattern: string): number =>
    pattern.startsWith("group:") ? 1e6 : pattern.includes("*") ? pattern.replaceAll("*", "").length : 1e9;
  const folded = (pattern: string): string =>
    pattern.startsWith("group:") ? pattern : pattern.normalize("NFC").toLowerCase();
  const entries = Object.entries(world.policy.recipients ?? {})
    .map(([pattern, label]) => ({ pattern: folded(pattern), label }))
    .filter(({ pattern }) => meant(pattern) !== "no")
    .sort(
      (left, right) =>
        rank(right.pattern) - rank(left.pattern) ||
        Number(left.pattern > right.pattern) - Number(left.pattern < right.pattern),
    );
  // Keys that differ in case alone mean the same recipients: what each of them allows.
  const deciding = entries.find(({ pattern }) => meant(pattern) === "yes")?.pattern;
  const counted = entries.slice(0, entries.findLastIndex(({ pattern }) => pattern === deciding) + 1);
  const lowest = labels.clearanceOf(lattice, { level: `${lattice.levels[0]}` });
  const base =
    deciding === undefined
      ? entries.map(({ label }) => labels.clearanceOf(lattice, label)).reduce(meet, lowest)
      : counted.map(({ label }) => labels.clearanceOf(lattice, label)).reduce(meet);
  const readable = Object.entries(world.policy.readers ?? {}).flatMap(([category, readers]) =>
    readers.some((reader) => meant(folded(reader)) === "yes") ? [category] : [],
  );
  return base && { ...base, categories: base.categories.union(new Set(readable)) };
}
