/** What is told about a journal's entry. THREAT: a store's file may be anybody's, so nothing in `data` is taken for granted. */
import type { Label } from "../../core/index.ts";
import { listIn, propertyOf, textIn } from "../../json/plain-data.ts";
import type { JournalEntry } from "../../runtime/ports/store.ts";
import { labelIn } from "../terminal/labels.ts";

/** The session's label after an entry; null where the entry doesn't say. */
export const labelAfter = ({ data }: JournalEntry): Label | null => labelIn(data);

/** Why a call was refused or waits, one line for each reason. */
export function reasonsIn({ data }: JournalEntry): readonly string[] {
  return listIn(data, "reasons").map((reason) => {
    const causes = listIn(reason, "causes").map(causeWords);
    const missing = listIn(reason, "missing").filter((name) => typeof name === "string");
    const named = textIn(reason, "because") ?? textIn(reason, "rule") ?? [];
    const facts = [...causes, ...missing.map((name) => `${name} is not granted`)].concat(named);
    return `${textIn(reason, "code") ?? "unknown"}${facts.length > 0 ? `: ${facts.join("; ")}` : ""}`;
  });
}

function causeWords(cause: unknown): string {
  const step = propertyOf(cause, "step");
  const call = typeof step === "number" ? ` (call ${step + 1})` : "";
  return `${textIn(cause, "tool") ?? textIn(cause, "dataset") ?? "something"}${call} came before`;
}

/** What was found in a result, and where. */
const findingsIn = (data: unknown): string[] =>
  listIn(data, "findings").map((finding) => {
    const place = textIn(finding, "place") ?? "";
    return `${textIn(finding, "kind") ?? "something"}${place === "" ? "" : ` at ${place}`}`;
  });

/** The step of an approved plan that a call was. */
function stepOf(data: unknown): readonly string[] {
  const lease = propertyOf(data, "lease");
  const approval = textIn(lease, "approval");
  return approval === null ? [] : [`step ${String(propertyOf(lease, "step"))} of the plan ${approval}`];
}

/** What else an entry says, in a few words. */
export function noteOf({ kind, data }: JournalEntry): string {
  const said = (key: string, words: string): string[] => {
    const value = textIn(data, key);
    return value === null ? [] : [`${words}${value}`];
  };
  const release = propertyOf(data, "release") === true ? ["a release"] : [];
  switch (kind) {
    case "session-opened":
      return [...said("principal", "by "), ...said("role", "as ")].join(", ");
    case "call-finished":
      return said("outcome", "").join("");
    case "label-raised":
      return [...said("dataset", "from "), ...findingsIn(data)].join(", ");
    case "call-admitted":
      return [...said("approval", "by "), ...stepOf(data), ...release].join(", ");
    case "plan-requested":
    case "approval-requested":
      return [...said("approval", ""), ...release].join(", ");
    case "approval-answered":
      return [
        ...said("answer", ""),
        ...said("by", "by "),
        ...said("via", "via "),
        ...said("why", "since: "),
      ].join(" ");
    case "approval-shown":
      return said("via", "via ").join("");
    case "approval-ended":
      return said("outcome", "").join("");
    case "definition-pinned":
    case "definition-accepted":
      return said("hash", "").join("");
    case "client-registered":
    case "signed-in":
    case "signed-out":
    case "sign-in-lost":
      return [...said("server", "server "), ...said("principal", "as "), ...said("by", "by ")].join(", ");
    case "sessions-retired":
      return [...said("action", ""), ...said("file", "in ")].join(", ");
    case "policy-announced":
      return said("occasion", "").join("");
    case "session-forked":
      return said("fork", "as ").join("");
    case "run-paused":
      return said("expires", "until ").join("");
    case "run-ended":
      return said("outcome", "").join("");
    case "session-closed":
      return [
        ...said("successor", "goes on in "),
        ...said("reason", "").filter((reason) => reason !== "reset"),
      ].join("");
    default:
      return "";
  }
}

/** An entry as REST gives it. */
export function toWireEntry({ seq, kind, at, policy, prev, hash, data }: JournalEntry): object {
  return { seq, kind, at, policy, prev, hash, data };
}

/** A line of an export or an archive. */
export const toExported = (session: string, entry: JournalEntry): object => ({
  session_id: session,
  ...toWireEntry(entry),
});
