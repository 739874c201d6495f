/** The model that the environment has a key for; null where it has none. */
import { anthropic } from "./anthropic.ts";
import type { ModelMaker } from "./model.ts";
import { openai } from "./openai.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const withoutSlash = (url: string): string => url.replace(/\/+$/, "");

/** `ANTHROPIC_API_KEY` before `OPENAI_API_KEY`, each with `…_BASE_URL` and `…_MODEL`. */
export function chooseModel(environment: Environment): ModelMaker | null {
  const { ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, ANTHROPIC_MODEL } = environment;
  if (ANTHROPIC_API_KEY) {
    return anthropic({
      key: ANTHROPIC_API_KEY,
      baseUrl: withoutSlash(ANTHROPIC_BASE_URL || "https://api.anthropic.com"),
      model: ANTHROPIC_MODEL || "claude-sonnet-4-5",
    });
  }
  const { OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL } = environment;
  if (!OPENAI_API_KEY) return null;
  return openai({
    key: OPENAI_API_KEY,
    baseUrl: withoutSlash(OPENAI_BASE_URL || "https://api.openai.com/v1"),
    model: OPENAI_MODEL || "gpt-5-mini",
  });
}
