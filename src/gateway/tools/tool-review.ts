/**
 * The definitions of tools for review: which are accepted, what differs in the others, and accepting one. It changes
 * nothing itself.
 */
import { type Policy, parseToolId, toToolId } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import { parseJson } from "../../json/parse-json.ts";
import {
  type Comparison,
  compare,
  type Definition,
  type OfferedTool,
  type Pins,
  type ToolProvider,
  toDefinition,
} from "../../runtime/index.ts";
import { doubtOf } from "./tool-hints.ts";

export interface ToolReview extends Comparison {
  /** Its identity. */
  readonly tool: string;
  readonly server: string;
  readonly name: string;
  /**
   * `pinned`: as accepted. `changed`: withheld until a person accepts the offered definition. `unclassified`: not in
   * the policy, so not pinned. `missing`: accepted earlier and not offered now.
   */
  readonly status: "pinned" | "changed" | "unclassified" | "missing";
  /** Of the accepted definition; null if there is none. */
  readonly hash: string | null;
  /** Of the definition that is offered; null if it isn't offered, or has no canonical form. */
  readonly offeredHash: string | null;
  /** A sentence about a problem other than a difference. */
  readonly problem: string | null;
  /** A sentence if the server's hints say that the tool does more than the policy declares. */
  readonly doubt: string | null;
}

export interface ReviewParts {
  readonly pins: Pins;
  readonly providers: readonly ToolProvider[];
  readonly policy: () => Policy;
  readonly offeredAs: (id: string) => OfferedTool | undefined;
}

/** Every tool of an upstream server, then those that were accepted and aren't offered now. */
export async function reviewTools(parts: ReviewParts): Promise<readonly ToolReview[]> {
  const upstream = parts.providers.filter(({ isOwn = false }) => !isOwn);
  const offered = upstream.flatMap(({ id, tools }) =>
    [...tools.keys()].map((name) => toToolId(id, name)).filter((tool) => parts.policy().tools.has(tool)),
  );
  const all = new Set([...offered, ...parts.pins.tools]);
  return Promise.all([...all].map((tool) => reviewTool(parts, tool)));
}

/** One of them, by its identity. */
export async function reviewTool(parts: ReviewParts, tool: string): Promise<ToolReview> {
  const { server, tool: name } = parseToolId(tool);
  const offered = parts.offeredAs(tool);
  const definition = offered ? toDefinition(offered) : null;
  const status = statusOf(parts.policy(), tool, offered !== undefined);
  const same = { difference: [], more: 0, problem: null };
  const found =
    status === "changed" && offered ? await explainChange(parts, tool, offered, definition) : same;
  const hash = parts.pins.hashOf(tool);
  const offeredHash = definition?.hash ?? null;
  const doubt = offered ? doubtOf(parts.policy(), parts.policy().tools.get(tool), offered) : null;
  return { tool, server: server ?? "", name, status, hash, offeredHash, doubt, ...found };
}

function statusOf(policy: Policy, id: string, isOffered: boolean): ToolReview["status"] {
  if (!isOffered) return "missing";
  if (policy.changed.has(id)) return "changed";
  return policy.tools.get(id)?.classified ? "pinned" : "unclassified";
}

type Explained = Pick<ToolReview, "difference" | "more" | "problem">;

async function explainChange(
  { pins }: ReviewParts,
  tool: string,
  offered: OfferedTool,
  definition: Definition | null,
): Promise<Explained> {
  const nothing = { difference: [], more: 0 };
  if (definition === null) return { ...nothing, problem: NOT_CANONICAL };
  if (pins.hashOf(tool) === null) return { ...nothing, problem: NOT_PINNED };
  const accepted = await pins.textOf(tool);
  // THREAT: the text is stored beside the journal; if it doesn't match the hash, a person would see a false
  // difference.
  if (accepted === null) return { ...nothing, problem: LOST };
  return { ...compare(parseJson(accepted), offered.raw ?? offered), problem: null };
}

const NOT_CANONICAL = "The offered definition has no canonical form, so it can't be accepted.";
const NOT_PINNED = "It could not be pinned yet; the gateway's log says why.";
const LOST = "The text of the accepted definition is not what was pinned, so no difference can be shown.";

/**
 * The present definition of a tool, by any of its names.
 * @throws SluicegateError `not-found`, `unsupported-value`, and `definition-stale` if its hash is another one.
 */
export function findOffered(
  { policy, offeredAs }: ReviewParts,
  name: string,
  hash: string,
): { readonly id: string; readonly definition: Definition } {
  const tool = policy().tools.get(policy().names.resolve(name).id ?? name);
  const offered = tool && offeredAs(tool.id);
  if (!tool?.classified || offered === undefined) throw unknown();
  const definition = toDefinition(offered);
  if (definition === null) throw notCanonical();
  if (definition.hash !== hash) throw stale(definition.hash);
  return { id: tool.id, definition };
}

const unknown = (): SluicegateError =>
  new SluicegateError("not-found", "There is no such tool to accept.", {
    why: "No server offers a classified tool of that name now.",
    fix: "`GET /v1/tools` and `sluicegate tools` list what is offered.",
  });

const notCanonical = (): SluicegateError =>
  new SluicegateError("unsupported-value", "The definition can't be accepted.", {
    why: "It holds something that JSON can't carry exactly, so no hash can stand for it.",
    fix: "Have the server's author fix it; the tool is withheld until then.",
  });

const stale = (hash: string): SluicegateError =>
  new SluicegateError("definition-stale", "The tool's definition is not the one that you looked at.", {
    why: `What its server offers now has the hash ${hash}.`,
    fix: "Look at the difference again, and accept that hash if it is what you want.",
    details: { hash },
  });
