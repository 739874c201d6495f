/** Fixes one error in one file, and changes no other file. */
import { relative } from "node:path";
import { FIXER_TOOLS, listNames, quoteName } from "../../core/index.ts";
import { type AskReason, readChecked } from "../../providers/workspace/index.ts";
import { assertContext, badContext, toPrompt } from "./brief.ts";
import { type Brief, hostOf, RoleAgent, type RoleRun } from "./role-agent.ts";
import type { RoleAgentOptions } from "./role-host.ts";
import { cut, type RoleResult, toUnsuccessful, withRefusals } from "./role-result.ts";
import { hashOf } from "./watched-workspace.ts";

/** An error, and the file that has it. */
export interface FixerContext {
  /** Absolute, or relative to the working directory. */
  readonly filePath: string;
  /** The error message, for example of a compiler. */
  readonly errorMessage: string;
  /** From 1. */
  readonly lineNumber?: number;
  /** How it might be fixed. */
  readonly fixHint?: string;
}

/** The file after the run. */
export interface FixerResult extends RoleResult {
  /** Whether the file's content has changed. */
  readonly fileModified: boolean;
  /** The model's description of its change, truncated; empty if the file is unchanged. */
  readonly changesMade: string;
  /** The changed lines, from the file; left out if it is unchanged, and after a pause. */
  readonly linesChanged?: ChangedLines;
}

const PURPOSE = `You fix one error in one file.

Look at the place that is named, make the smallest change that removes the error, and leave everything else as it is. Change that file and no other: no clean-up, no other errors, no new files. Where the error can't be removed in that file, say so and change nothing. When you are done, say in one or two sentences what you changed.`;

const MAX_SUMMARY_LENGTH = 2000;

/** An agent that fixes one error. It succeeds if it has changed the file, and no other. */
export class FixerAgent extends RoleAgent<FixerContext, FixerResult> {
  constructor(options: RoleAgentOptions) {
    super({ name: "fixer", set: FIXER_TOOLS, purpose: PURPOSE, maxSteps: 20 }, options);
  }

  protected async brief(context: FixerContext): Promise<Brief | string> {
    assertContext(this.name, context, { filePath: "text", errorMessage: "text", fixHint: "maybe-text" });
    const { filePath, errorMessage, lineNumber, fixHint } = context;
    if (lineNumber !== undefined && !(Number.isInteger(lineNumber) && lineNumber > 0))
      throw badContext(this.name, "Its `lineNumber` must be a whole number from 1, or be left out.");
    const { root } = hostOf(this);
    if (root === null) throw badContext(this.name, "The agent was made without its file tools.");
    const file = await readChecked({ root, path: filePath }).catch(() => null);
    if (file === null) return cantMend("it is too large, or can't be read");
    if (file.effect === "ask") return cantMend(WHY[file.reason]);
    const prompt = toPrompt(
      ["File", relative(root, file.resolved)],
      ["Line", lineNumber],
      ["Error", errorMessage],
      ["Hint", fixHint],
    );
    return { prompt, only: file.resolved, before: { [file.resolved]: hashOf(file.content) }, was: file.text };
  }

  protected async conclude({ result, brief, wrote }: RoleRun): Promise<FixerResult> {
    const { root } = hostOf(this);
    const { only, was } = brief ?? {};
    if (root === null || only === undefined) return { ...result, fileModified: false, changesMade: "" };
    const name = relative(root, only);
    const fileModified = result.filesModified.includes(name);
    const found =
      fileModified && was !== undefined ? await readChecked({ root, path: only }).catch(() => null) : null;
    const lines = found?.effect === "allow" ? changedLines(was ?? "", found.text) : null;
    return {
      ...(result.success ? judge(result, { name, fileModified, wrote }) : result),
      fileModified,
      changesMade: fileModified ? cut(result.text, MAX_SUMMARY_LENGTH) : "",
      ...(lines && { linesChanged: lines }),
    };
  }
}

const cantMend = (why: string): string => `The file can't be fixed: ${why}. Nothing was done.`;

/** Whether a finished run has changed the file, and no other. */
function judge(
  result: RoleResult,
  {
    name,
    fileModified,
    wrote,
  }: { readonly name: string; readonly fileModified: boolean; readonly wrote: boolean },
): RoleResult {
  const others = result.filesModified.filter((one) => one !== name);
  if (others.length > 0)
    return toUnsuccessful(result, `The agent has changed other files: ${listNames(others)}.`);
  if (!fileModified)
    return toUnsuccessful(
      result,
      withRefusals(`The agent says that it is done, and ${quoteName(name)} is as it was.`, result.refused),
    );
  if (!wrote)
    return toUnsuccessful(result, `${quoteName(name)} was changed meanwhile, and not by the agent.`);
  return result;
}

/** Why a fixer can't work on a path. */
const WHY: Readonly<Record<AskReason, string>> = {
  outside: "it lies outside of the working directory, or a link leads there",
  ignored: "git ignores it",
  "git-folder": "it belongs to git itself",
  "not-a-repository":
    "the working directory isn't in a git repository, so what belongs to the project can't be determined",
  "git-unavailable": "git gave no answer about it",
  "nested-repository": "it belongs to another repository inside of this one",
  "special-file": "it isn't an ordinary file",
  "several-links": "it has several names, and a change would part them",
  "protected-name": "it decides what others may see or what programs run",
  protected: "no agent may touch it",
  missing: "nothing lies there",
  "wrong-kind": "it is a folder",
  "unclear-path": "where its path leads can't be determined",
};

/** The lines in which two texts differ, from the first to the last. */
interface ChangedLines {
  /** The first different line, from 1. */
  readonly from: number;
  readonly removed: number;
  readonly added: number;
}

/** The lines in which two texts differ; null if they are equal. */
export function changedLines(before: string, after: string): ChangedLines | null {
  if (before === after) return null;
  const [old, now] = [linesOf(before), linesOf(after)];
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < most - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end += 1;
  return { from: start + 1, removed: old.length - start - end, added: now.length - start - end };
}

/** Each with its end, so that a last line without one differs from the same with it. */
const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
