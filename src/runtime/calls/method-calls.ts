/** Which methods of a server can be called besides its tools, and with which parameters. */
import { isMethodId, isPartOfCall, parseToolId } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import type { JsonObject } from "../ports/provider.ts";

/** The parameters of each method that is a call of its own. */
const PARAMETERS: ReadonlyMap<string, readonly string[]> = new Map([
  ["resources/list", []],
  ["resources/read", ["uri"]],
  ["prompts/list", []],
  ["prompts/get", ["name", "arguments"]],
  ["completion/complete", ["ref", "argument", "context"]],
]);

/**
 * THREAT: only the gateway may set the other members of a request (`_meta`, `inputResponses`, `requestState`).
 * @throws SluicegateError `invalid-request` for a method that is only part of a call, and for other parameters.
 */
export function assertCallable(id: string, params: JsonObject): void {
  const known = PARAMETERS.get(parseToolId(id).tool);
  if (known === undefined) throw notCallable(id);
  const isKnown = Object.keys(params).every((name) => known.includes(name));
  if (!isKnown) throw otherParameters(id, known);
}

/**
 * THREAT: a name of something that is only part of a call is refused before it is looked up, so that the answer
 * doesn't reveal whether the server exists.
 * @throws SluicegateError `invalid-request`
 */
export function assertNoPartOfCall(id: string): void {
  if (isPartOfCall(id)) throw notCallable(id);
}

/** The first parameter that the method doesn't take; null if there is none. */
export function findForeignParameter(id: string, params: JsonObject): string | null {
  const known = PARAMETERS.get(parseToolId(id).tool);
  return known ? (Object.keys(params).find((name) => !known.includes(name)) ?? null) : null;
}

/**
 * The same by the name alone, for existing and other servers alike.
 * @throws SluicegateError `invalid-request`
 */
export function assertMethodIsCallable(id: string): void {
  assertNoPartOfCall(id);
  if (isMethodId(id) && !PARAMETERS.has(parseToolId(id).tool)) throw notCallable(id);
}

export const notCallable = (id: string): SluicegateError =>
  new SluicegateError("invalid-request", "This can't be called.", {
    why: `\`${id}\` is part of a call or of a connection, and not a call of its own.`,
    fix: "Call a tool of the server, or its `resources/read`, `prompts/get` or `completion/complete`.",
  });

const otherParameters = (id: string, known: readonly string[]): SluicegateError =>
  new SluicegateError("invalid-request", "The arguments can't be passed on.", {
    why: `\`${id}\` takes ${known.length === 0 ? "none" : known.map((name) => `\`${name}\``).join(", ")}, and there are others.`,
    fix: "Leave the others out.",
  });
