/** Asks each function of the workspace for one path, and tells what all of them gave away. */
import { checkPath, openChecked, readChecked, searchChecked } from "../../src/providers/workspace/index.ts";
import { type Ask, OPEN, SECRET } from "./path-case.ts";

export interface Answer {
  readonly effect: string;
  readonly reason?: string;
  readonly resolved?: string | null;
  /** All that came out of it, as text. */
  readonly gave: string;
}

export interface Answers {
  readonly check: Answer;
  readonly opened: Answer;
  readonly read: Answer;
  /** A search in the path itself, and in the whole root. */
  readonly searched: Answer;
  readonly searchedRoot: Answer;
}

const PATTERN = `${OPEN}|${SECRET}`;

/** All at once: one must not disturb another. */
export async function askEverything(ask: Ask & { readonly root: string }): Promise<Answers> {
  const { root, path } = ask;
  const [check, opened, read, searched, searchedRoot] = await Promise.all([
    answerOf(async () => ({ ...(await checkPath(ask)), gave: "" })),
    answerOf(() => open({ root, path })),
    answerOf(async () => {
      const answer = await readChecked({ root, path });
      return { ...answer, gave: answer.effect === "allow" ? answer.content.toString() : "" };
    }),
    answerOf(() => search({ root, path, pattern: PATTERN })),
    answerOf(() => search({ root, pattern: PATTERN })),
  ]);
  return { check, opened, read, searched, searchedRoot };
}

async function open(ask: { root: string; path: string }): Promise<Answer> {
  const answer = await openChecked(ask);
  if (answer.effect === "ask") return { ...answer, gave: "" };
  try {
    return { ...answer, gave: (await answer.read()).toString() };
  } finally {
    await answer.close();
  }
}

async function search(ask: { root: string; path?: string; pattern: string }): Promise<Answer> {
  const answer = await searchChecked(ask);
  const { effect, reason, resolved } = answer;
  return { effect, reason, resolved, gave: effect === "allow" ? JSON.stringify(answer.matches) : "" };
}

async function answerOf(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    const { effect, reason, resolved, gave } = await ask();
    return { effect, gave, ...(reason === undefined ? {} : { reason }), resolved: resolved ?? null };
  } catch (error) {
    return { effect: "threw", reason: String(error), gave: "" };
  }
}
