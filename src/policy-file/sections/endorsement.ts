/** The user's word and recipients: what must be endorsed, what counts as evidence, and who may receive what. */
import { createHash } from "node:crypto";
import { z } from "zod";
import {
  type EndorsementDeclaration,
  EVIDENCE_KINDS,
  type GroupDeclaration,
  hasEffect,
  isPattern,
  isRecipient,
  type Policy,
} from "../../core/index.ts";
import { quote, quoteAll } from "../document/quote.ts";
import { type Files, readNamed } from "../document/read-files.ts";
import type { Report } from "../document/report.ts";
import {
  child,
  type Entry,
  entriesOf,
  isText,
  type TextTree,
  type Tree,
  textsOf,
  toText,
} from "../document/tree.ts";
import type { Declared, DeclaredTool, Loaded } from "./declared.ts";
import { checkLabel, source, toLabelDeclaration } from "./labels.ts";
import { byName, described, map, name } from "./shape.ts";

const groupSchema = map(
  "A group",
  {
    file: described(name, "A file with one address a line, relative to the policy file."),
    tool: described(name, "The identity of a tool whose trusted answers name the members."),
    items: described(name, "Where the addresses stand in its answer, such as `members[].email`."),
  },
  { error: "a map with `file`, or with `tool` and `items`" },
);

export const endorsementKeys = {
  endorsement: described(
    z.enum(["strict", "declared"]),
    "Of which tools the user's word is asked for once untrusted content is in: `strict`, of every tool with `write` or `connect`; `declared`, of those that name `critical` arguments. Left out: `declared`.",
  ),
  named: described(
    name,
    "Whom the user's own words name may receive data up to this level unasked. Left out: nobody.",
  ),
  evidence: described(
    z.array(z.enum(EVIDENCE_KINDS), { error: `a list of ${EVIDENCE_KINDS.join(", ")}` }),
    "What else counts as the user's word. Left out: all but `resolved`.",
  ),
  groups: described(byName(groupSchema, "a map of groups by name"), "Closed lists of addresses, by name."),
  recipients: described(
    byName(source, "a map of recipients to labels"),
    "What recipients may receive, by address, by pattern with `*`, or as `group:NAME`; the most specific counts, and who isn't named may receive the lowest level.",
  ),
};

const GROUP = "group:";

/** The addresses of groups that lie in files, with the digest of each file. */
export type GroupFiles = ReadonlyMap<
  string,
  { readonly members: readonly string[]; readonly digest: string }
>;

const MAX_GROUP_FILE = 1024 * 1024;

/** Reads the files of groups; what can't be read is reported. */
export async function readGroups(root: Tree, files: Files, report: Report): Promise<GroupFiles> {
  const read = new Map<string, { members: readonly string[]; digest: string }>();
  for (const { key, value } of entriesOf(child(root, "groups"))) {
    const file = child(value, "file");
    const named =
      isText(file) && file.value !== "" ? await readNamed(file, MAX_GROUP_FILE, files, report) : null;
    if (named === null) continue;
    const lines = named.text.split("\n").map((line) => line.replace(/#.*/, "").trim());
    const digest = createHash("sha256").update(named.text).digest("hex");
    read.set(key, { members: lines.filter((line) => line !== ""), digest });
  }
  return read;
}

export function checkEndorsement(root: Tree, declared: Declared, report: Report): void {
  checkLabel(child(root, "named"), declared, report);
  const groups = entriesOf(child(root, "groups"));
  for (const group of groups) checkGroup(group, report);
  const known = new Set(groups.map(({ key }) => key));
  const recipients = entriesOf(child(root, "recipients"));
  for (const { value } of recipients) checkLabel(value, declared, report);
  const readers = entriesOf(child(root, "categories")).flatMap(({ value }) =>
    textsOf(child(value, "readers")),
  );
  for (const one of [...recipients.map(toText), ...readers]) {
    if (!one.value.startsWith(GROUP) || known.has(one.value.slice(GROUP.length))) continue;
    const fix = known.size === 0 ? "Declare it under `groups`." : `The groups are ${quoteAll([...known])}.`;
    report.add(one.at, `Unknown group ${quote(one.written)}.`, fix);
  }
}

function checkGroup({ key, at, value }: Entry, report: Report): void {
  const [file, tool, items] = ["file", "tool", "items"].map((part) => child(value, part));
  const isOne = file === undefined ? tool !== undefined && items !== undefined : !(tool || items);
  if (isOne || value.kind !== "map") return;
  report.add(
    at,
    `The group ${quote(key)} names no members.`,
    "Name a `file`, or a `tool` and the `items` of its answer.",
  );
}

/** What a sound file probably doesn't mean. */
export function warnAboutEndorsement({ root, declared, policy }: Loaded, report: Report): void {
  warnAboutRecipients(root, policy, report);
  for (const { key, at, value } of entriesOf(child(root, "categories"))) {
    const readers = child(value, "readers");
    if (readers?.kind !== "list" || readers.items.length > 0) continue;
    const fix = "Name at least one, or leave the key out.";
    report.add(at, `Nobody is among the readers of ${quote(key)}.`, fix);
  }
  const { isUsed, isStrict } = policy.endorsement;
  for (const tool of declared.tools) {
    warnAboutPaths(tool, report);
    if (isUsed && !isStrict) warnAboutEffect(tool, policy, report);
  }
}

/** A name beside an address is cut off before a recipient is compared, and a list counts as each of its addresses. */
const mayBeOne = (key: string): boolean =>
  isPattern(key)
    ? isRecipient(key)
    : key === key.trim() && !/<\S+@\S+>$/.test(key) && !/@.*[,;].*@/s.test(key);

/** Keys that no recipient of any call can be. */
function warnAboutRecipients(root: Tree, policy: Policy, report: Report): void {
  const recipients = entriesOf(child(root, "recipients"));
  const readers = entriesOf(child(root, "categories")).flatMap(({ value }) =>
    textsOf(child(value, "readers")),
  );
  const [first] = recipients;
  if (first !== undefined && ![...policy.tools.values()].some(({ to }) => to !== null)) {
    const fix = "Name where a tool's recipients stand, such as `sink: { to: args.to }`.";
    report.add(first.at, "No tool names its recipients, so what `recipients` says never applies.", fix);
  }
  for (const one of [...recipients.map(toText), ...readers]) {
    if (one.value.startsWith(GROUP)) warnAboutGroup(one, policy, report);
    else if (!mayBeOne(one.value))
      report.add(
        one.at,
        `No recipient can be ${quote(one.written)}: each is one address, without a name or spaces.`,
        "Write the address alone, and one key for each; one whose host has letters beyond ASCII without `*`.",
      );
  }
}

function warnAboutGroup(one: TextTree, policy: Policy, report: Report): void {
  const group = one.value.slice(GROUP.length);
  const { groups, memberTools } = policy.endorsement;
  const isNamed = [...memberTools.values()].flat().some((named) => named.group === group);
  if (isNamed || groups.get(group)?.size !== 0) return;
  report.add(one.at, `Nobody is in the group ${quote(group)}.`, "Write its members into its file.");
}

function warnAboutPaths({ key, value }: DeclaredTool, report: Report): void {
  const payload = new Set(textsOf(child(value, "payload")).map((one) => one.value));
  for (const one of textsOf(child(value, "critical"))) {
    if (!payload.has(one.value)) continue;
    const message = `${quote(one.written)} of ${quote(key)} is critical and payload; it is taken as critical.`;
    report.add(one.at, message, "Keep one of the two.");
  }
}

function warnAboutEffect({ id, key, at }: DeclaredTool, policy: Policy, report: Report): void {
  const tool = policy.tools.get(id);
  if (!tool || !hasEffect(tool) || tool.critical.length > 0 || tool.approval === "always") return;
  report.add(
    at,
    `${quote(key)} has an effect and names no \`critical\` argument, so nobody asks for the user's word before it runs.`,
    "Name its critical arguments, or write `endorsement: strict`.",
  );
}

type Groups = Readonly<Record<string, z.infer<typeof groupSchema>>>;

/** The part of the core's declaration that is made of these keys. */
export function toEndorsement(
  document: {
    readonly [Key in keyof typeof endorsementKeys]?: z.infer<(typeof endorsementKeys)[Key]> | undefined;
  },
  categories: Readonly<Record<string, { readonly readers?: readonly string[] | undefined } | null>>,
  { files, lowest }: { readonly files: GroupFiles; readonly lowest: string | undefined },
): EndorsementDeclaration {
  const { endorsement, named, evidence, groups, recipients } = document;
  const readers = Object.entries(categories).flatMap(([key, category]) =>
    category?.readers ? [[key, category.readers] as const] : [],
  );
  return {
    ...(endorsement && { endorsement }),
    ...(named !== undefined && { named }),
    ...(evidence && { evidence }),
    ...(groups && { groups: toGroups(groups, files) }),
    ...(recipients && {
      // A clearance names its level; a map that leaves it out means the lowest.
      recipients: Object.fromEntries(
        Object.entries(recipients).map(([key, label]) => [
          key,
          { ...(lowest !== undefined && { level: lowest }), ...toLabelDeclaration(label) },
        ]),
      ),
    }),
    ...(readers.length > 0 && { readers: Object.fromEntries(readers) }),
  };
}

const toGroups = (groups: Groups, files: GroupFiles): Readonly<Record<string, GroupDeclaration>> =>
  Object.fromEntries(
    Object.entries(groups).map(([key, { tool, items }]) => [
      key,
      {
        members: files.get(key)?.members ?? [],
        ...(tool !== undefined && { tool }),
        ...(items !== undefined && { items }),
      },
    ]),
  );
