/**
 * What the result of a finished call gives that counts as the user's word, and which values it brought in. Nothing of
 * it is kept as text.
 */
import {
  type Appearance,
  type Evidence,
  type EvidenceKind,
  hasEffect,
  isMethodId,
  isUntrusted,
  type Label,
  type Policy,
  type SessionState,
  saidAmong,
  type Tool,
} from "../../core/index.ts";
import { addressIn, toValues } from "./given-values.ts";
import { linksIn } from "./links.ts";
import { type Field, type Item, itemsOf, textsOf, valuesAt } from "./result-items.ts";
import { fold, foldCompatible, type WordTokens } from "./words.ts";

/** A call that has ended well, with what it gave. */
export interface Finished {
  readonly tool: Tool;
  /** Null for a call that its agent ran by itself: what it reports of it endorses nothing. */
  readonly arguments: Readonly<Record<string, unknown>> | null;
  readonly result: unknown;
  /** Everything that is known of the result's label: what its tool declares, and what was found. */
  readonly labels: readonly Label[];
  /** The call's step. */
  readonly step: number;
}

export interface Found {
  readonly evidence?: readonly Evidence[];
  readonly seen?: Appearance;
}

/** Values of one result that are remembered for each kind. */
const MAX_VALUES = 128;
/** Characters of a result that are looked through for where values come from. */
const MAX_SEARCHED = 64 * 1024;

export function findEvidence(policy: Policy, state: SessionState, tokens: WordTokens, call: Finished): Found {
  const { endorsement } = policy;
  if (!endorsement.isUsed || isMethodId(call.tool.id)) return {};
  const { arguments: args } = call;
  const evidence = args === null ? [] : evidenceOf(policy, state, tokens, { ...call, arguments: args });
  const seen = appearanceOf(state, tokens, call);
  return { ...(evidence.length > 0 && { evidence }), ...(seen.values.length > 0 && { seen }) };
}

/** A call with its arguments, which its result is held against. */
type Made = Finished & { readonly arguments: Readonly<Record<string, unknown>> };

const evidenceOf = (policy: Policy, state: SessionState, tokens: WordTokens, call: Made) =>
  [
    ...byKind(state, tokens, call).filter(({ kind }) => policy.endorsement.evidence.has(kind)),
    ...membersIn(policy, state, tokens, call),
  ].filter(({ values }) => values.length > 0);

const isTrusted = ({ lattice }: SessionState, { labels }: Finished): boolean =>
  !labels.some((label) => isUntrusted(lattice, label));

function byKind(state: SessionState, tokens: WordTokens, call: Made): readonly Evidence[] {
  const { tool, result } = call;
  const items = itemsOf(result);
  const isGiven = valuesGiven(call.arguments);
  const { server } = tool;
  const give = (kind: EvidenceKind, fields: readonly Field[]): Evidence => ({
    kind,
    server,
    // THREAT: many a server repeats what it was asked for, and an agent may have been told what to ask for.
    values: [
      ...new Set(
        fields
          .filter(({ value }) => !isGiven(value))
          .slice(0, MAX_VALUES)
          .map(({ value }) => tokenOf(tokens, value)),
      ),
    ],
  });
  const single = items.length === 1 ? items[0] : undefined;
  // THREAT: what a write gives back may be anybody's text, so nothing but the id of the thing itself counts; and what
  // reads or only sends as well may give back a text that is all of somebody else's making.
  if (hasEffect(tool))
    return single && (onlyWrites(tool) || isTrusted(state, call)) ? [give("own", idOf(single))] : [];
  const all = isTrusted(state, call) ? items.flatMap((item) => item.filter(isIdentifier)) : [];
  if (single === undefined || !isAskedInUserWords(state, tokens, call)) return [give("own-ids", all)];
  const hit = isTrusted(state, call) ? single.filter(isTelling) : [];
  return [give("lookup", hit), give("resolved", idOf(single)), give("own-ids", all)];
}

/** Whether what it gives back can't be what it was sent to read. */
const onlyWrites = ({ permissions }: Tool): boolean =>
  permissions.includes("write") && !permissions.includes("read");

/** From so many letters and digits on, a value counts as given where it is a part of what was given. */
const MIN_PART = 6;

/** Whether a value stands in a call's own arguments, however its server writes it. */
function valuesGiven(args: Made["arguments"]): (value: string | number) => boolean {
  const wholes = new Set<string>();
  const parts: string[] = [];
  JSON.stringify(args, (key: string, value: unknown) => {
    for (const text of [key, value])
      if (typeof text === "string" || typeof text === "number") {
        wholes.add(plain(text));
        parts.push(plain(text));
      }
    return value;
  });
  const all = parts.join("\n");
  return (value) => {
    const text = plain(value);
    return wholes.has(text) || (text.length >= MIN_PART && all.includes(text));
  };
}

const plain = (value: string | number): string =>
  foldCompatible(String(value)).replaceAll(/[^\p{L}\p{N}]/gu, "");

const tokenOf = (tokens: WordTokens, value: string | number): string =>
  tokens.of(addressIn(fold(String(value)).trim()));

/** Whether the user said each argument of a call, and there is one. */
function isAskedInUserWords({ words }: SessionState, tokens: WordTokens, call: Made): boolean {
  const values = toValues(call.arguments, tokens);
  const said = saidAmong(words, values);
  return values.length > 0 && values.every((value) => value.isWeak !== true && said.has(value));
}

const ID_KEY = /^(?:id_?|_id|uuid|guid|iban|[a-z][a-z0-9]*(?:[_-]id|Id|ID|_uuid|_iban))$/i;
const OWN_ID = /^(?:id_?|_id|uuid|guid)$/i;

/** The id of a thing: its field of that name, else the only field that ends so. */
function idOf(item: Item): readonly Field[] {
  const ids = item.filter((field) => field.depth === 0 && ID_KEY.test(field.key) && !isAddress(field));
  // THREAT: more than one may be somebody else's, written where the thing's own fields stand.
  return ids.length === 1
    ? ids
    : ids.filter(({ key }) => OWN_ID.test(key)).length === 1
      ? ids.filter(({ key }) => OWN_ID.test(key))
      : [];
}

/** THREAT: a server that makes ids of what it is given would make anybody a recipient. Whom something goes to is no id. */
const isAddress = ({ value }: Field): boolean => /@|:\/\/|^\+\d/.test(String(value));

/** An id by its name, or by its looks: one word of six characters or more with a digit, and no date or amount. */
function isIdentifier({ key, value }: Field): boolean {
  const text = String(value);
  if (ID_KEY.test(key)) return text !== "";
  if (/^\d{4}-\d\d-\d\d|^\d{1,2}:\d\d|^[\d.,-]+$/.test(text)) return /^\d{6,}$/.test(text);
  return /^[A-Za-z0-9_:.-]{6,}$/.test(text) && /\d/.test(text);
}

/** A value that says which thing it is. */
const isTelling = (field: Field): boolean =>
  ID_KEY.test(field.key) || (String(field.value).length >= 3 && !/^[\d.,]{1,5}$/.test(String(field.value)));

/** The members of a closed list that a trusted tool has named. */
function membersIn(
  { endorsement }: Policy,
  state: SessionState,
  tokens: WordTokens,
  call: Finished,
): readonly Evidence[] {
  const groups = endorsement.memberTools.get(call.tool.id) ?? [];
  if (groups.length === 0 || hasEffect(call.tool) || !isTrusted(state, call)) return [];
  return groups.map(({ group, items }) => {
    const members = valuesAt(call.result, items).slice(0, 4 * MAX_VALUES);
    return {
      kind: "member",
      server: call.tool.server,
      group,
      values: members.map((member) => tokenOf(tokens, member)),
    };
  });
}

const ADDRESS = /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]+@[\p{L}\p{N}.-]+\p{L}/gu;
const CODE = /(?<![\p{L}\p{N}])(?=[\p{L}\d_-]{0,63}\d)[\p{L}\d][\p{L}\d_-]{2,63}(?![\p{L}\p{N}])/gu;

/** Values that somebody may have planted: addresses, links, whole short texts, and words with a digit. */
function appearanceOf({ lattice }: SessionState, tokens: WordTokens, call: Finished): Appearance {
  const text = textsOf(call.result).join("\n").slice(0, MAX_SEARCHED);
  const folded = fold(text);
  const short = itemsOf(call.result).flatMap((item) =>
    item.flatMap(({ value }) => (String(value).length <= 100 ? [fold(String(value)).trim()] : [])),
  );
  const values = new Set([
    ...(folded.match(ADDRESS) ?? []),
    ...linksIn(text).flatMap((forms) => forms.slice(0, 1)),
    ...short.filter((value) => value.length >= 3),
    ...(folded.match(CODE) ?? []),
  ]);
  const trusts = call.labels.map(({ trust }) => lattice.trust.indexOf(trust));
  return {
    step: call.step,
    tool: call.tool.id,
    trust: lattice.trust[Math.min(lattice.trust.length - 1, ...trusts)] ?? "",
    values: [...values].slice(0, MAX_VALUES).map((value) => tokens.of(value)),
  };
}
