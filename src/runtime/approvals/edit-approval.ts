/**
 * Calls that a person changed before approving them. The changed arguments are stored beside the journal, which has
 * their digest, until the call has run or the approval is over.
 */
import {
  flowsTo,
  type Label,
  type Policy,
  quoteName,
  type SessionState,
  type Tool,
} from "../../core/index.ts";
import { canonicalJson } from "../../json/canonical-json.ts";
import { isJsonObject } from "../../json/json-object.ts";
import { parseJson } from "../../json/parse-json.ts";
import type { PreparedCall } from "../calls/admission.ts";
import type { Keep, Store } from "../ports/store.ts";

/** One argument that a person changed. */
export interface ChangedArgument {
  /** Its path, such as `to` or `message.to`; the items of a list have one path together. */
  readonly argument: string;
  /** The value that runs; left out if the person removed it, or if the agent may not see it. */
  readonly value?: unknown;
}

/** What a person changed in a call before approving it. */
export interface EditedCall {
  readonly by: string;
  readonly changed: readonly ChangedArgument[];
}

interface KeptEdit {
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly by: string;
}

const EDIT_KEY = "approval-edit:";

export const keepEdit = (approval: string, edit: KeptEdit): Keep => ({
  key: EDIT_KEY + approval,
  value: JSON.stringify(edit),
});

export const forgetEdit = (approval: string): Keep => ({ key: EDIT_KEY + approval, value: null });

/** Deletes the changes of approvals that expired unused. */
export const forgetExpiredEdits = ({ answers }: Pick<SessionState, "answers">, at: string): readonly Keep[] =>
  answers.flatMap(({ id, editOf, expires }) =>
    editOf !== undefined && expires <= at ? [forgetEdit(id)] : [],
  );

/** The call as its approver changed it, to be decided instead of the agent's; null if it is gone. */
export async function readEditedCall(
  store: Store,
  session: string,
  approval: string,
  call: PreparedCall,
): Promise<PreparedCall | null> {
  const text = await store.kept(session, EDIT_KEY + approval);
  if (text === null) return null;
  const kept = parseJson<KeptEdit>(text);
  const edit = { approval, by: kept.by, instead: call.arguments };
  return { ...call, arguments: kept.arguments, canonical: canonicalJson(kept.arguments), edit };
}

/** Paths that one answer may name. */
const MAX_CHANGED = 32;

/** The differences between the requested arguments and those that run. */
export function changedArguments(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): readonly ChangedArgument[] {
  const changed: ChangedArgument[] = [];
  compare(before, after, "", changed);
  return changed.slice(0, MAX_CHANGED);
}

function compare(before: object, after: object, path: string, changed: ChangedArgument[]): void {
  const [old, now] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  for (const key of new Set([...old.keys(), ...now.keys()])) {
    const [was, is] = [old.get(key), now.get(key)];
    const argument = path === "" ? key : `${path}.${key}`;
    if (isJsonObject(was) && isJsonObject(is)) compare(was, is, argument, changed);
    else if (!now.has(key)) changed.push({ argument });
    else if (!old.has(key) || canonicalJson(was) !== canonicalJson(is)) changed.push({ argument, value: is });
  }
}

/**
 * What the agent learns about a change. THREAT: the person may have written something that this session doesn't hold,
 * for a tool that may have it. Then the agent learns which arguments were changed, but not the values.
 */
export function toEditedCall(
  { edit, arguments: after }: PreparedCall,
  { lattice }: Policy,
  { clearances }: Tool,
  label: Label,
): EditedCall | null {
  if (edit === undefined) return null;
  const sees =
    clearances?.every((clearance) => flowsTo(lattice, { ...clearance, trust: label.trust }, label)) ?? false;
  const changed = changedArguments(edit.instead, after);
  return { by: edit.by, changed: sees ? changed : changed.map(({ argument }) => ({ argument })) };
}

/** A sentence for the agent, and a line for each value that it may see. */
export function describeEdit({ changed }: EditedCall): string {
  const names = changed.map(({ argument }) => quoteName(argument)).join(", ");
  const values = changed.flatMap(({ argument, value }) =>
    value === undefined ? [] : [`${quoteName(argument)} is now ${JSON.stringify(value)}.`],
  );
  return [`A person approved this call after changing ${names}; it ran as changed.`, ...values].join("\n");
}
