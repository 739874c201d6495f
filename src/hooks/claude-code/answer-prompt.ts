/**
 * Decides on a prompt before the model gets it. With the prompt, the agent sends the instruction files of its folder,
 * which it loads before any call: only here can they be withheld.
 */
import { lstat } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { type HookAnswer, toBlockAnswer, toQuietAnswer } from "../../adapters/claude-code/hook-answer.ts";
import type { PromptEvent } from "../../adapters/claude-code/hook-event.ts";
import { dataSetOf, explainCause, isUntrusted, lookUp, topLabel } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import {
  canonicalPath,
  collectInShares,
  findRepository,
  pathWithin,
  shownName,
} from "../../providers/workspace/internal.ts";
import type { Examination } from "../../runtime/index.ts";
import { sayPrompt } from "../../runtime/internal.ts";
import { sessionOf } from "./answer-hook.ts";
import type { HookGate } from "./hook-gate.ts";
import type { HookSettings } from "./hook-settings.ts";
import { examineInstructions } from "./instruction-files.ts";
import { mentionsIn } from "./instruction-imports.ts";

/**
 * Blocks a prompt if the agent would load files with it for which `Read` needs approval. A prompt can't be approved.
 */
export async function answerPrompt(
  hooks: HookGate,
  event: PromptEvent,
  settings: HookSettings,
): Promise<HookAnswer> {
  const mentions = await mentionsIn(event.prompt);
  if (mentions === null) throw tooMany();
  const blocked = await examinePrompt(hooks, event, settings, mentions);
  if (blocked.length > 0) return toBlockAnswer(toReason(blocked));
  await hearPrompt(hooks, event, settings);
  await raiseByMentions(hooks, event, settings, mentions);
  return toQuietAnswer();
}

/** The agent reads the files that a prompt mentions, so they raise the session by the source of `Read`. */
async function raiseByMentions(
  hooks: HookGate,
  { conversation, cwd }: PromptEvent,
  settings: HookSettings,
  mentions: readonly string[],
): Promise<void> {
  const { policy } = hooks.gate;
  const { tool } = lookUp(policy, "Read");
  if (conversation === null || (tool === null && settings.unlisted !== "policy")) return;
  const source = tool === null ? topLabel(policy.lattice) : tool.source;
  if (source === null) return;
  if (!(await isAnyThere(await pathsOf(mentions, cwd)))) return;
  const session = await sessionOf(hooks, { conversation }, settings);
  await session.addDataset(tool === null ? "unknown" : dataSetOf(tool), source);
}

async function isAnyThere(paths: readonly string[]): Promise<boolean> {
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    const found = paths.slice(at, at + AT_ONCE).map((path) => lstat(path).catch(() => null));
    if ((await Promise.all(found)).some((stats) => stats !== null)) return true;
  }
  return false;
}

const AT_ONCE = 128;

/** Tools that let an agent schedule a prompt for itself. */
const SCHEDULERS = ["CronCreate", "ScheduleWakeup"];

/** Markup, as in the agent's own reports and in messages of other agents. */
const MARKUP = /<(?:[!?]|\/?[a-z][\w:.-]*[\s>/])/i;

/**
 * Records the prompt as the user's words. THREAT: a report of a subagent, a message of another conversation and a
 * scheduled prompt come as the same event. So a prompt doesn't count if it has markup, if the session holds untrusted
 * content, or if the agent may schedule prompts.
 */
async function hearPrompt(
  hooks: HookGate,
  { conversation, prompt }: PromptEvent,
  settings: HookSettings,
): Promise<void> {
  const { policy } = hooks.gate;
  if (!policy.endorsement.isUsed || conversation === null || MARKUP.test(prompt)) return;
  if (settings.unlisted !== "policy") return;
  if (SCHEDULERS.some((name) => lookUp(policy, name).tool?.classified === true)) return;
  const session = await sessionOf(hooks, { conversation }, settings);
  if (!isUntrusted(policy.lattice, session.label)) await sayPrompt(session, prompt);
}

/** Files that come with a prompt and need approval. */
async function examinePrompt(
  hooks: HookGate,
  { cwd }: PromptEvent,
  { environment, settings }: HookSettings,
  mentions: readonly string[],
): Promise<readonly Examination[]> {
  const found = hooks.workspace(settings);
  if (found === null) return [];
  const { CLAUDE_PROJECT_DIR: project } = environment;
  const begun = new Set([cwd, ...(project?.startsWith("/") ? [project] : [])]);
  const { workspace } = found;
  const examined = await Promise.all(
    [...begun].map(async (folder) =>
      examineInstructions({
        workspace,
        environment,
        paths: [`${folder}/.`, ...(await pathsOf(mentions, folder))],
        top: await topOf(folder, workspace.root),
      }),
    ),
  );
  return examined.flat();
}

/** The files that a prompt mentions, as the agent names them from a folder. */
async function pathsOf(mentions: readonly string[], folder: string): Promise<readonly string[]> {
  const paths = await collectInShares(mentions, (name) => {
    const given = name.trim();
    const path = given.startsWith("~/") ? join(homedir(), given.slice(2)) : resolve(folder, given);
    return path.length <= MAX_PATH_LENGTH ? path : undefined;
  });
  return [...new Set(paths)];
}

const tooMany = (): SluicegateError =>
  new SluicegateError("invalid-request", "The prompt names too many files.", {
    why: "Each text after an `@` may name a file that is read with it, and there are too many of them or they are too long.",
    fix: "Send it in parts, or let the agent read it from a file.",
  });

/** The top of the repository around a folder; in the workspace, also in a worktree there, that of the workspace. */
async function topOf(folder: string, root: string): Promise<string> {
  const found = await canonicalPath(folder);
  if (found.kind !== "found") return folder;
  const start = pathWithin(root, found.path) === null ? found.path : root;
  return (await findRepository(start))?.top ?? start;
}

function toReason(found: readonly Examination[]): string {
  const causes = new Set(found.flatMap(({ asks }) => asks));
  causes.delete("instruction-file");
  const paths = new Set(found.flatMap(({ targets }) => targets).map(({ path }) => shownName(path)));
  const named = paths.size === 0 ? "" : ` These are: ${[...paths].slice(0, MAX_NAMED).join(", ")}.`;
  return [
    "Sluicegate blocked this prompt. With it the agent would load files that need an approval: an instruction file such as `CLAUDE.md` imports them, or it, a skill, a command or a subagent's definition is a link.",
    `${[...causes].map(explainCause).join(" ")}${named}`,
    "Take the import or the link out, or put what it leads to into the project, and send the prompt again.",
  ].join("\n");
}

const MAX_NAMED = 10;
/** Longer paths can't be opened. */
const MAX_PATH_LENGTH = 4096;
