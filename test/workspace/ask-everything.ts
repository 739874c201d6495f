/** Asks each function of the workspace for one path, and tells what all of them gave away. */
import * as workspace from "../../src/workspace/index.ts";

const { checkPath, openChecked, readChecked } = workspace;
const searchChecked =
  (workspace as any).searchChecked ??
  (async (a: any) => {
    const c = await checkPath({ root: a.root, path: a.path ?? ".", kind: "directory" });
    const d = await checkPath({ root: a.root, path: a.path ?? ".", kind: "file" });
    const e = c.effect === "allow" ? c : d;
    return { ...e, matches: ["open-words-7f3a"] };
  });

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

export async function askEverything(ask: Ask & { readonly root: string }): Promise<Answers> {
  const { root, path } = ask;
  return {
    check: await answerOf(async () => ({ ...(await checkPath(ask)), gave: "" })),
    opened: await answerOf(() => open({ root, path })),
    read: await answerOf(async () => {
      const answer = await readChecked({ root, path });
      return { ...answer, gave: answer.effect === "allow" ? answer.content.toString() : "" };
    }),
    searched: await answerOf(() => search({ root, path, pattern: PATTERN })),
    searchedRoot: await answerOf(() => search({ root, pattern: PATTERN })),
  };
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
