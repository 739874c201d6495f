/** Sentences that say why a call needs approval, and the short one for a repeated refusal. */
import type { AskCause } from "./reason.ts";
import type { RefusalClass } from "./refusal-class.ts";

const WHY: Readonly<Record<AskCause, string>> = Object.freeze({
  always: "The operator's policy asks for an approval of each call.",
  unclassified: "Nobody has classified it yet.",
  condition: "The operator's policy asks for an approval of such a call.",
  "condition-unclear":
    "The operator's policy asks for an approval of some calls, and can't tell whether this is one.",
  release:
    "This session's data may not go there, and the operator's policy lets a person release this one call.",
  "not-endorsed":
    "Untrusted content came into this session, and the user's own words don't cover what this call does.",
  rule: "A rule of the operator's policy asks for an approval of such a call.",
  "outside-workspace": "The path lies outside the workspace.",
  "ignored-path": "Git ignores the path.",
  "git-folder": "The path belongs to git's own files.",
  "git-unavailable": "Git could not say whether the path belongs to the project.",
  "not-a-repository": "The workspace isn't a git repository, so nothing says what belongs to the project.",
  "nested-repository": "The path lies in another repository inside the workspace.",
  "special-file": "The path isn't an ordinary file or folder.",
  "several-links": "The file has several names, and another one may lie elsewhere.",
  "protected-name": "The file decides what belongs to the project, what programs run or what agents follow.",
  "instruction-file": "The agent would load instructions from files with it that need an approval.",
  "unclear-path": "The path can't be determined for sure.",
});

/** Why a call needs approval, for the approver. */
export const explainCause = (because: AskCause): string => WHY[because];

/** What a call waits for and how to continue, after the sentence that names its tool. */
export const explainAsking = (because: AskCause): string =>
  `${WHY[because]} Call it again with the same arguments once it has been ${because === "release" ? "released" : "approved"}.`;

const INSTEAD: Readonly<Record<RefusalClass, string>> = Object.freeze({
  retry: "change the call first, as was said",
  person: "it needs a person",
  never: "go on without it, or use another tool",
});

/** One short sentence out of the whole message of a refusal. */
export function explainRepeat(message: string, refusal: RefusalClass): string {
  const [head = ""] = message.split(/\.(?: |$)/, 1);
  return `${head}, as before: ${INSTEAD[refusal]}.`;
}
