/**
 * A prompt, before the model gets it: with it the agent hands over the instruction files of its folder, which it has
 * loaded before any call. This is the last moment at which they can be kept back.
 */
import { resolve } from "node:path";
import { type HookAnswer, toBlockAnswer, toQuietAnswer } from "../../adapters/claude-code/hook-answer.ts";
import type { PromptEvent } from "../../adapters/claude-code/hook-event.ts";
import { explainCause } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import { canonicalPath, findRepository, shownName } from "../../providers/workspace/internal.ts";
import type { Examination } from "../../runtime/index.ts";
import type { HookGate } from "./hook-gate.ts";
import type { HookSettings } from "./hook-settings.ts";
import { examineInstructions } from "./instruction-files.ts";

/** Blocks a prompt with which the agent would load what `Read` asks about. There is no call that could be approved. */
export async function answerPrompt(
  hooks: HookGate,
  { cwd, prompt }: PromptEvent,
  { environment, settings }: HookSettings,
): Promise<HookAnswer> {
  const found = hooks.workspace(settings);
  if (found === null) return toQuietAnswer();
  const { CLAUDE_PROJECT_DIR: project } = environment;
  const begun = new Set([cwd, ...(project?.startsWith("/") ? [project] : [])]);
  const { workspace } = found;
  const examined = await Promise.all(
    [...begun].map(async (folder) =>
      examineInstructions({
        workspace,
        environment,
        paths: [`${folder}/.`, ...mentionedIn(prompt, folder)],
        top: await topOf(folder),
      }),
    ),
  );
  const all = examined.flat();
  return all.length === 0 ? toQuietAnswer() : toBlockAnswer(toReason(all));
}

/** The files that a prompt names by `@path`: the agent reads them with it, and what comes with them. */
function mentionedIn(prompt: string, folder: string): readonly string[] {
  const named = new Set<string>();
  for (const form of [/@"([^"]+)"/g, /@([^\s"]+)/g])
    for (const [, name = ""] of prompt.matchAll(form))
      if (named.add(name).size > MAX_MENTIONS) throw tooMany();
  // Lines may be named behind a `#`, which may also be a part of the path.
  const read = [...named].flatMap((name) => [name, name.replace(/#.*$/s, "")]);
  return read.map((name) => resolve(folder, name.trim()));
}

const tooMany = (): SluicegateError =>
  new SluicegateError("invalid-request", "The prompt names too many files.", {
    why: `What comes with each file after an \`@\` is looked at, and there are more than ${MAX_MENTIONS}.`,
    fix: "Send it in parts, or let the agent read it from a file.",
  });

/** The top of the repository around a folder, whose files come together. */
async function topOf(folder: string): Promise<string> {
  const found = await canonicalPath(folder);
  if (found.kind !== "found") return folder;
  return (await findRepository(found.path))?.top ?? found.path;
}

function toReason(found: readonly Examination[]): string {
  const causes = new Set(found.flatMap(({ asks }) => asks));
  causes.delete("instruction-file");
  const paths = new Set(found.flatMap(({ targets }) => targets).map(({ path }) => shownName(path)));
  const named = paths.size === 0 ? "" : ` These are: ${[...paths].slice(0, MAX_NAMED).join(", ")}.`;
  return [
    "Sluicegate blocked this prompt. With it the agent would load files that need an approval, by an instruction file such as `CLAUDE.md` that imports them or is a link.",
    `${[...causes].map(explainCause).join(" ")}${named}`,
    "Take the import or the link out, or put what it leads to into the project, and send the prompt again.",
  ].join("\n");
}

const MAX_NAMED = 10;
const MAX_MENTIONS = 10_000;
