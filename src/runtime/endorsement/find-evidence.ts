/**
 * Which values of a finished call's result count as the user's word, and which values it brought in. Only digests are
 * stored.
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
import { MAX_NAME_LENGTH } from "../../json/json-scanner.ts";
import { addressIn, toValues } from "./given-values.ts";
import { linksIn } from "./links.ts";
import { type Field, type Item, itemsOf, textsOf, valuesAt } from "./result-items.ts";
import { fold, foldCompatible, type WordTokens } from "./words.ts";

/** A call that ended without an error, with its result. */
interface Finished {
  readonly tool: Tool;
  /** Null for a call that its agent ran itself: its report endorses nothing. */
  readonly arguments: Readonly<Record<string, unknown>> | null;
  readonly result: unknown;
  /** The labels of the result: what its tool declares, and what was found. */
  readonly labels: readonly Label[];
  /** The call's number. */
  readonly step: number;
}

export interface Found {
  readonly evidence?: readonly Evidence[];
  readonly seen?: Appearance;
}

/** Values remembered of one result, for each kind. */
const MAX_VALUES = 128;
/** Characters of a result that are searched for the origin of values. */
const MAX_SEARCHED = 64 * 1024;

export function findEvidence(policy: Policy, state: SessionState, tokens: WordTokens, call: Finished): Found {
  const { endorsement } = policy;
  if (!endorsement.isUsed || isMethodId(call.tool.id)) return {};
  const { arguments: args } = call;
  const evidence = args === null ? [] : evidenceOf(policy, state, tokens, { ...call, arguments: args });
  const seen = appearanceOf(state, tokens, call);
  return { ...(evidence.length > 0 && { evidence }), ...(seen.values.length > 0 && { seen }) };
}

/** A call with its arguments, to compare its result with. */
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
    // THREAT: many servers repeat their arguments, and untrusted content may have told the agent what to ask
    // for.
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
  // THREAT: a tool that writes may return anybody's text, so only the id of the thing itself counts. If the
  // tool also reads or sends, even that may be somebody else's.
  if (hasEffect(tool))
    return single && (onlyWrites(tool) || isTrusted(state, call)) ? [give("own", idOf(single))] : [];
  const all = isTrusted(state, call) ? items.flatMap((item) => item.filter(isIdentifier)) : [];
  if (single === undefined || !isAskedInUserWords(state, tokens, call)) return [give("own-ids", all)];
  const hit = isTrusted(state, call) ? single.filter(isTelling) : [];
  return [give("lookup", hit), give("resolved", idOf(single)), give("own-ids", all)];
}

/** Whether the tool can't return what it was sent to read. */
const onlyWrites = ({ permissions }: Tool): boolean =>
  permissions.includes("write") && !permissions.includes("read");

/** From this number of letters and digits on, a value counts as given if it is part of what was given. */
const MIN_PART = 6;

/** A longer value counts as given: V8 searches one of more than 250 characters in the time of both texts multiplied. */
const MAX_PART = 250;
/** Characters that are searched for all values of a result: 10 to 30 ms. Further values count as given. */
const MAX_PART_SEARCH = 30_000_000;

/** Whether a value is in the call's own arguments, in any notation of its server. */
function valuesGiven(args: Made["arguments"]): (value: string | number) => boolean {
  const wholes = new Set<string>();
  const parts: string[] = [];
  JSON.stringify(args, (key: string, value: unknown) => {
    for (const text of [key, value])
      if (typeof text === "string" || typeof text === "number") {
        const part = plain(text);
        // V8 compares longer ones that are equally long with each other.
        if (part.length <= MAX_NAME_LENGTH) wholes.add(part);
        parts.push(part);
      }
    return value;
  });
  const all = parts.join("\n");
  let left = MAX_PART_SEARCH;
  return (value) => {
    const text = plain(value);
    if (wholes.has(text)) return true;
    if (text.length < MIN_PART) return false;
    left -= all.length;
    return text.length > MAX_PART || left < 0 || all.includes(text);
  };
}

const plain = (value: string | number): string =>
  foldCompatible(String(value)).replaceAll(/[^\p{L}\p{N}]/gu, "");

const tokenOf = (tokens: WordTokens, value: string | number): string =>
  tokens.of(addressIn(fold(String(value)).trim()));

/** Whether all arguments of a call are the user's words, and there is at least one. */
function isAskedInUserWords({ words }: SessionState, tokens: WordTokens, call: Made): boolean {
  const values = toValues(call.arguments, tokens);
  const said = saidAmong(words, values);
  return values.length > 0 && values.every((value) => value.isWeak !== true && said.has(value));
}

const ID_KEY = /^(?:id_?|_id|uuid|guid|iban|[a-z][a-z0-9]*(?:[_-]id|Id|ID|_uuid|_iban))$/i;
const OWN_ID = /^(?:id_?|_id|uuid|guid)$/i;

/** The id of a thing: its field `id`, otherwise the only field whose name ends so. */
function idOf(item: Item): readonly Field[] {
  const ids = item.filter((field) => field.depth === 0 && ID_KEY.test(field.key) && !isAddress(field));
  // THREAT: with several such fields, somebody else may have written one of them.
  return ids.length === 1
    ? ids
    : ids.filter(({ key }) => OWN_ID.test(key)).length === 1
      ? ids.filter(({ key }) => OWN_ID.test(key))
      : [];
}

/**
 * THREAT: a server that derives ids from its arguments could make anybody a recipient, so an address doesn't count as
 * an id.
 */
const isAddress = ({ value }: Field): boolean => /@|:\/\/|^\+\d/.test(String(value));

/** An id by its name, or by its form: one word of six or more characters with a digit, which is no date or amount. */
function isIdentifier({ key, value }: Field): boolean {
  const text = String(value);
  if (ID_KEY.test(key)) return text !== "";
  if (/^\d{4}-\d\d-\d\d|^\d{1,2}:\d\d|^[\d.,-]+$/.test(text)) return /^\d{6,}$/.test(text);
  return /^[A-Za-z0-9_:.-]{6,}$/.test(text) && /\d/.test(text);
}

/** A value that identifies the thing. */
const isTelling = (field: Field): boolean =>
  ID_KEY.test(field.key) || (String(field.value).length >= 3 && !/^[\d.,]{1,5}$/.test(String(field.value)));

/** The members of a closed list that a trusted tool returned. */
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
    ...linksIn(text, { links: MAX_VALUES, characters: MAX_SEARCHED }).flatMap((forms) => forms.slice(0, 1)),
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
