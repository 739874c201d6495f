/**
 * What a system prompt says that its agent has: tools by name, and abilities in plain words. It matches English by
 * patterns, so it finds common contradictions and proves nothing.
 */
import { BUILTIN_TOOLS, WORKSPACE_TOOLS } from "../../core/index.ts";

/** A tool or an ability that a prompt mentions. */
export type Claim =
  | { readonly kind: "tool"; readonly tool: string }
  | { readonly kind: "no-tools" }
  | {
      readonly kind: "ability";
      /** In words, as in "run commands". */
      readonly ability: string;
      /** Tools, any one of which provides the ability. */
      readonly tools: readonly string[];
      /** The text of the prompt, truncated. */
      readonly said: string;
    };

interface Ability {
  readonly ability: string;
  readonly pattern: RegExp;
  readonly tools: readonly string[];
}

const byKind = (...kinds: readonly string[]): readonly string[] =>
  Object.entries(WORKSPACE_TOOLS).flatMap(([name, kind]) => (kinds.includes(kind) ? [name] : []));

const SEARCHING = ["Glob", "Grep", "search_by_regex", "list_dir", "list_working_tree"];

const ABILITIES: readonly Ability[] = [
  {
    ability: "run commands",
    pattern:
      /\b(?:run|runs|running|re-?run|execute|executes|executing|invoke|launch)\b[^.;:]{0,60}?\b(?:commands?|tests?|test suite|scripts?|linters?|builds?|programs?|compiler|npm|git|make|pytest)\b|\b(?:use|open|have|in|through|via)\s+(?:the |a |your )?(?:shell|terminal|command line)\b/gi,
    tools: byKind("process"),
  },
  {
    ability: "change files",
    pattern:
      /(?<!\b(?:an?|the|this|that|each|every|its|of)\s)\b(?:edit|edits|modify|modifies|write|writes|rewrite|change|changes|create|creates|delete|update|fix)\b[^.;:]{0,30}?\b(?:files?|code)\b/gi,
    tools: byKind("write", "process"),
  },
  {
    ability: "search the project",
    pattern:
      /\b(?:search|searches|grep|scan|look through)\b[^.;:]{0,40}?\b(?:files?|code(?:base)?|project|repository|folders?)\b/gi,
    tools: [...SEARCHING, ...byKind("process")],
  },
  {
    ability: "reach the web",
    pattern:
      /\b(?:browse|search|fetch|look up|consult)\b[^.;:]{0,30}?\b(?:web|internet|online|urls?|websites?)\b/gi,
    tools: ["WebFetch", "WebSearch"],
  },
  {
    ability: "hand work to other agents",
    pattern:
      /\b(?:spawn|launch|delegate|hand)\b[^.;:]{0,30}?\b(?:sub-?agents?|other agents?|another agent)\b/gi,
    tools: ["Task"],
  },
];

/** Names that are also words: they count only if they are marked as names. */
const WORDS: ReadonlySet<string> = new Set(["Read", "Write", "Edit", "Task", "rename"]);

const NAMES: ReadonlySet<string> = new Set([...BUILTIN_TOOLS, ...Object.keys(WORKSPACE_TOOLS)]);

/** A negation shortly before it in its sentence, or right after it. */
const NO =
  /\b(?:no|not|never|neither|nor|without|cannot|can't|don't|doesn't|mustn't|won't|nobody|nothing)\b(?!\s+(?:hesitate|forget|only))/;
const NO_BEFORE = new RegExp(`${NO.source}(?:\\s+[\\w'-]+){0,6}\\s*$`, "i");
/** The same, for lists of names. */
const NO_BEFORE_NAME = new RegExp(`${NO.source}(?:[\\s,\`*"']+[\\w'-]+){0,8}[\\s,\`*"']*$`, "i");
const NO_BEHIND = /^[`*"']*\s+(?:is|are)(?:n't|\s+not)\b/i;

/** The tools and abilities that a prompt mentions, each once. */
export function claimsIn(prompt: string): readonly Claim[] {
  const text = prompt.replaceAll("’", "'");
  const tools = [...text.matchAll(/(`?)\b(mcp__[\w.*-]*[\w*]|[A-Za-z_]+)(`?)(\s+tool\b)?/g)].flatMap(
    (found) => {
      const [, open, name = "", close, tool] = found;
      const isMarked = (open === "`" && close === "`") || tool !== undefined;
      const isName = name.startsWith("mcp__") || (NAMES.has(name) && (isMarked || !WORDS.has(name)));
      return isName && !isDenied(text, found, NO_BEFORE_NAME) ? [name] : [];
    },
  );
  const abilities = ABILITIES.flatMap(({ ability, pattern, tools: any }): Claim[] => {
    const found = [...text.matchAll(pattern)].find((one) => !isDenied(text, one, NO_BEFORE));
    return found ? [{ kind: "ability", ability, tools: any, said: found[0].slice(0, 80) }] : [];
  });
  const none: readonly Claim[] = /\byou have no tools\b/i.test(text) ? [{ kind: "no-tools" }] : [];
  return [...none, ...[...new Set(tools)].map((tool): Claim => ({ kind: "tool", tool })), ...abilities];
}

/** Whether a sentence negates the mention. */
function isDenied(text: string, { index = 0, 0: found }: RegExpMatchArray, no: RegExp): boolean {
  const before = text.slice(0, index);
  const start = Math.max(...ENDS.map((end) => before.lastIndexOf(end)));
  return no.test(before.slice(start + 1)) || NO_BEHIND.test(text.slice(index + found.length));
}

const ENDS: readonly string[] = [". ", ".\n", "\n\n", "; ", ": "];
