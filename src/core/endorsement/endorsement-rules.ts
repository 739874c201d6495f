/**
 * A policy's settings for the user's word: what must be endorsed, what counts as evidence, and who may receive what.
 */
import { normalize } from "../decision/normalize.ts";
import { type Label, type Lattice, lowestClearance } from "../label/label.ts";
import { meet } from "../label/meet-clearances.ts";
import { copy, lock } from "../policy/frozen.ts";
import { isMethodId } from "../tools/methods.ts";
import { specificity } from "../tools/pattern.ts";
import { type LabelDeclaration, type Tool, type ToolDeclaration, toClearance } from "../tools/tool.ts";
import { type RecipientPattern, recipientMatcher, toPattern } from "./recipients.ts";
import { EVIDENCE_KINDS, type EvidenceKind, evidenceFor, type GivenValue, type Words } from "./user-word.ts";

/** A closed list of addresses: its members, or the tool whose trusted results name them. */
export interface GroupDeclaration {
  readonly members?: readonly string[];
  /** The identity of the tool. */
  readonly tool?: string;
  /** The path of the addresses in its result, such as `members[].email`. */
  readonly items?: string;
}

/** The part of a policy's declaration that this is made from. */
export interface EndorsementDeclaration {
  /** `strict`: every tool with an effect; `declared` (the default): the tools that name `critical` arguments. */
  readonly endorsement?: "strict" | "declared";
  /** Recipients that the user names may receive data up to this level without approval. Left out: none. */
  readonly named?: string;
  /** What else counts as the user's word. Left out: everything but `resolved`. */
  readonly evidence?: readonly EvidenceKind[];
  readonly groups?: Readonly<Record<string, GroupDeclaration>>;
  /** What recipients may receive, by address, by pattern or as `group:NAME`; the most specific counts. */
  readonly recipients?: Readonly<Record<string, LabelDeclaration>>;
  /** Who may receive data of a category: addresses, patterns, `group:NAME`. */
  readonly readers?: Readonly<Record<string, readonly string[]>>;
}

/** What recipients may receive; the most specific first. */
interface RecipientRule {
  readonly pattern: RecipientPattern;
  readonly clearance: Label;
}

export interface EndorsementRules {
  /** Whether any tool's calls are ever compared with the user's words. */
  readonly isUsed: boolean;
  readonly isStrict: boolean;
  readonly named: string | null;
  readonly evidence: ReadonlySet<EvidenceKind>;
  readonly groups: ReadonlyMap<string, ReadonlySet<string>>;
  /** The groups whose members a tool names, by the tool's identity, with the path in its result. */
  readonly memberTools: ReadonlyMap<string, readonly { readonly group: string; readonly items: string }[]>;
  readonly recipients: readonly RecipientRule[];
  readonly readers: ReadonlyMap<string, readonly RecipientPattern[]>;
}

const BY_DEFAULT = EVIDENCE_KINDS.filter((kind) => kind !== "resolved");

/** The rules of a validated declaration. */
export function toEndorsementRules(
  lattice: Lattice,
  declared: EndorsementDeclaration,
  tools: Iterable<ToolDeclaration>,
): EndorsementRules {
  const groups = Object.entries(declared.groups ?? {});
  const recipients = toRecipients(lattice, declared.recipients ?? {});
  const memberTools = Map.groupBy(
    groups.flatMap(([group, { tool, items = "" }]) => (tool === undefined ? [] : [{ tool, group, items }])),
    ({ tool }) => tool,
  );
  return Object.freeze({
    isUsed:
      declared.endorsement === "strict" ||
      [...tools].some(({ critical = [], to }) => critical.length > 0 || to !== undefined),
    isStrict: declared.endorsement === "strict",
    named: declared.named ?? null,
    evidence: lock(new Set(declared.evidence ?? BY_DEFAULT)),
    groups: lock(new Map(groups.map(([name, { members = [] }]) => [name, lock(new Set(members.map(fold)))]))),
    memberTools: lock(new Map([...memberTools].map(([tool, named]) => [tool, copy(named)]))),
    recipients: copy(
      recipients.sort(
        (left, right) =>
          rankOf(right.pattern.key) - rankOf(left.pattern.key) ||
          (left.pattern.key < right.pattern.key ? -1 : 1),
      ),
    ),
    readers: lock(
      new Map(
        Object.entries(declared.readers ?? {}).map(([category, readers]) => [
          category,
          copy(readers.map((key) => toPattern(fold(key)))),
        ]),
      ),
    ),
  });
}

/** Keys that differ in case mean the same recipients, who may receive what any of them allows. */
function toRecipients(
  lattice: Lattice,
  declared: NonNullable<EndorsementDeclaration["recipients"]>,
): RecipientRule[] {
  const clearances = new Map<string, Label>();
  for (const [key, label] of Object.entries(declared)) {
    const [folded, clearance] = [fold(key), toClearance(lattice, label)];
    const other = clearances.get(folded);
    clearances.set(folded, other ? meet(lattice, other, clearance) : clearance);
  }
  return [...clearances].map(([key, clearance]) => ({ pattern: toPattern(key), clearance }));
}

const GROUP = "group:";

/** Addresses are compared in lower case and NFC, as those of calls are; the name of a group stays as it is. */
const fold = (pattern: string): string =>
  pattern.startsWith(GROUP) ? pattern : normalize(pattern, "NFC").toLowerCase();

/** An address is the most specific, a group comes before every pattern. */
const rankOf = (pattern: string): number =>
  pattern.startsWith(GROUP) ? Number.MAX_VALUE : specificity(pattern);

/** Whether a recipient is on a closed list: of the policy, or from a trusted tool. */
export const isMember = (rules: EndorsementRules, words: Words, group: string, value: GivenValue): boolean =>
  rules.groups.get(group)?.has(value.text) === true ||
  evidenceFor(words, value.whole).some((found) => found.group === group);

/** Whether a key means a recipient; `"partly"`: as a part of it may be read. */
type Meant = (pattern: RecipientPattern) => boolean | "partly";

function meantBy(rules: EndorsementRules, words: Words, recipient: GivenValue): Meant {
  const match = recipientMatcher(recipient.text);
  return (pattern) =>
    pattern.key.startsWith(GROUP)
      ? isMember(rules, words, pattern.key.slice(GROUP.length), recipient)
      : match(pattern);
}

/** What one recipient may receive: by the most specific rule, and by the categories that name it as a reader. */
export function clearanceFor(
  lattice: Lattice,
  rules: EndorsementRules,
  words: Words,
  recipient: GivenValue,
): Label {
  const isMeant = meantBy(rules, words, recipient);
  const clearance = ruledClearance(lattice, rules, isMeant);
  const readable = [...rules.readers].flatMap(([category, readers]) =>
    readers.some((pattern) => isMeant(pattern) === true) ? [category] : [],
  );
  if (readable.length === 0) return clearance;
  return { ...clearance, categories: [...new Set([...clearance.categories, ...readable])].sort() };
}

/** THREAT: a rule that means a recipient partly allows nothing, but what it doesn't allow, no rule after it does. */
function ruledClearance(lattice: Lattice, { recipients }: EndorsementRules, isMeant: Meant): Label {
  const limits: Label[] = [];
  for (const { pattern, clearance } of recipients) {
    const meant = isMeant(pattern);
    if (meant === false) continue;
    limits.push(clearance);
    if (meant === true) return limits.reduce((left, right) => meet(lattice, left, right));
  }
  return [...limits, lowestClearance(lattice)].reduce((left, right) => meet(lattice, left, right));
}

/** Whether a call of a tool changes something or reaches outside: anything but a pure read. */
export const hasEffect = ({ permissions }: Pick<Tool, "permissions">): boolean =>
  permissions.includes("write") || permissions.includes("connect");

/** Whether a call of this tool needs the user's word once untrusted content is in the session. */
export const needsEndorsement = ({ isStrict }: EndorsementRules, tool: Tool): boolean =>
  tool.classified && !isMethodId(tool.id) && (tool.critical.length > 0 || (isStrict && hasEffect(tool)));

/** Whether an argument is critical: as declared, otherwise every one that isn't payload. */
export const isCritical = ({ critical, payload }: Tool, path: string): boolean =>
  critical.length > 0 ? isAmong(critical, path) : !isAmong(payload, path);

/** Whether a path is one of these, or below one. A list's path includes its items. */
export const isAmong = (paths: readonly string[], path: string): boolean => {
  const plain = path.replaceAll("[]", "");
  return paths.some((one) => {
    const meant = one.replaceAll("[]", "");
    return plain === meant || plain.startsWith(`${meant}.`);
  });
};
