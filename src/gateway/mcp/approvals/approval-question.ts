/**
 * An approval as a question to the client's user: the gateway's own words first, then the agent's, quoted so that
 * they can be distinguished; when to ask; and how to read the answer.
 * THREAT: the agent writes arguments, paths and changes. It could imitate the gateway's words, or write so much that
 * nobody reads it.
 */
import { type ApprovalChannel, describeLabel, quoteName } from "../../../core/index.ts";
import { isJsonObject } from "../../../json/json-object.ts";
import {
  type Gate,
  type JsonObject,
  toVisibleJson,
  toVisibleText,
  type WaitingApproval,
} from "../../../runtime/index.ts";

/** A question to a client, and which answers count. */
export interface ApprovalQuestion {
  /** Parameters of `elicitation/create`, in form mode. */
  readonly params: JsonObject;
  /** Whether the question shows everything that must be judged. Otherwise it can't be approved there. */
  readonly isWhole: boolean;
}

/** The meaning of a client's answer: `none` leaves the approval pending, `unclear` isn't an answer. */
export type ClientAnswer = "approved" | "denied" | "none" | "unclear";

/** Characters shown of each part. */
const MAX_LENGTHS = Object.freeze({ arguments: 4000, paths: 2000, change: 8000 });

/** `ways` are the other channels on which it can be answered. */
export function toQuestion(approval: WaitingApproval, ways: readonly ApprovalChannel[]): ApprovalQuestion {
  const { tool, why, label, targets, preview } = approval;
  const elsewhere = `; look at it ${describePlaces("sluicegate pending", ways)}`;
  const parts = [
    toPart("Arguments", toVisibleJson(approval.arguments, 2), MAX_LENGTHS.arguments, elsewhere),
    targets.length > 0 &&
      toPart("Paths", targets.map((path) => toVisibleJson(path)).join("\n"), MAX_LENGTHS.paths, elsewhere),
    preview !== null &&
      toPart("Change", withBlanksAtEnd(toVisibleText(preview)), MAX_LENGTHS.change, elsewhere),
  ].filter((part) => part !== false);
  const isWhole = parts.every(({ left }) => left === 0);
  const message = [
    `An agent wants to call the tool ${quoteName(tool)}, and a person must approve it first.`,
    ...why,
    `The session holds ${describeLabel(label)}. The approval is ${approval.id}.`,
    ...(isWhole ? [] : [`It is too long to be approved here${elsewhere}.`]),
    'Each line that begins with ">" is what the agent asks for, not a word of the gateway.',
    "",
    ...parts.map(({ text }) => text),
  ].join("\n");
  return { params: { message, requestedSchema: isWhole ? APPROVE_OR_DENY : DENY_ONLY }, isWhole };
}

/** Writes spaces at the end of a line, which nobody would see, as escapes. */
const withBlanksAtEnd = (text: string): string =>
  text.replaceAll(/(?<=[^ \n]) +(?=\n|$)/g, (blanks) => "\\u0020".repeat(blanks.length));

/** The client's answer to a question. */
export function readAnswer({ isWhole }: Pick<ApprovalQuestion, "isWhole">, answer: unknown): ClientAnswer {
  if (!isJsonObject(answer)) return "unclear";
  const { action, content } = answer;
  if (action === "decline") return "denied";
  if (action === "cancel") return "none";
  if (action !== "accept" || !isJsonObject(content)) return "unclear";
  const { approve, deny } = content;
  if (approve === false || deny === true) return "denied";
  // INVARIANT: a question that doesn't show everything offers no `approve`, so none counts.
  if (!isWhole) return "none";
  return approve === true ? "approved" : "unclear";
}

/** Where else a person can answer: with a command in a terminal, or in the console. */
export function describePlaces(command: string, ways: readonly ApprovalChannel[]): string {
  const places = [
    ...(ways.includes("terminal") ? [`with \`${command}\``] : []),
    ...(ways.includes("console") ? ["in the console"] : []),
  ];
  return places.length > 0 ? places.join(" or ") : "over the gateway's API";
}

interface Part {
  readonly text: string;
  /** Characters that aren't shown. */
  readonly left: number;
}

/** The gateway's heading, and below it the quoted text, truncated to the space. */
function toPart(heading: string, text: string, most: number, elsewhere: string): Part {
  const cut = text.slice(0, most);
  const shown = cut.isWellFormed() ? cut : cut.slice(0, -1);
  const left = text.length - shown.length;
  const lines = shown.split("\n").map((line) => `> ${line}`);
  const rest = left > 0 ? [`… ${left} more characters${elsewhere}.`] : [];
  return { text: [`${heading}:`, ...lines, ...rest, ""].join("\n"), left };
}

const toSchema = (name: string, title: string, description: string): JsonObject =>
  Object.freeze({
    type: "object",
    properties: { [name]: { type: "boolean", title, description } },
    required: [name],
  });

const APPROVE_OR_DENY = toSchema(
  "approve",
  "Approve this call",
  "Yes: it runs once, exactly as it is shown. No: it is refused.",
);
const DENY_ONLY = toSchema(
  "deny",
  "Deny this call",
  "Yes: it is refused. No: it goes on waiting for a person.",
);

/** How often to look for changes by other processes. */
const RECHECK_MS = 5000;
const MOVING: ReadonlySet<string> = new Set(["approval-answered", "approval-ended", "session-closed"]);

/** Resolves when an approval is the next to be shown (true), or is over, or `signal` aborts (false). */
export async function untilFirst(
  gate: Gate,
  session: string,
  approval: string,
  signal: AbortSignal,
): Promise<boolean> {
  let changed = Promise.withResolvers<void>();
  const tell = (): void => changed.resolve();
  const stop = gate.watch((entries) => {
    // THREAT: an agent can write any number of entries; only one that ends an approval moves the queue.
    if (entries.some((one) => one.session === session && MOVING.has(one.entry.kind))) tell();
  });
  const timer = setInterval(tell, RECHECK_MS);
  timer.unref();
  signal.addEventListener("abort", tell, { once: true });
  try {
    while (!signal.aborted) {
      changed = Promise.withResolvers();
      const found = await gate.approval(approval);
      if ("outcome" in found) return false;
      if (found.before === 0) return !signal.aborted;
      await changed.promise;
    }
    return false;
  } finally {
    stop();
    clearInterval(timer);
    signal.removeEventListener("abort", tell);
  }
}
