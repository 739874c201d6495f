/**
 * What a server offers besides tools: resources, prompts, completions, notices, and its own questions. Each is
 * decided on like a tool of its server, named by its MCP method (`mcp__mail__resources/read`), with the server's
 * label and clearance. No tool can have such a name: tools' names hold no `/`.
 */
import { SluicegateError } from "../../errors/index.ts";
import { quoteName } from "../decision/quote-name.ts";
import { matchesWildcard } from "./pattern.ts";
import { parseToolId, toToolId } from "./tool.ts";

/** What a client asks a server for. */
const READING = [
  "resources/list",
  "resources/read",
  "resources/subscribe",
  "prompts/list",
  "prompts/get",
  "completion/complete",
] as const;

/** What a server sends or asks by itself while a call of it runs: no tool set need name it. */
const UNASKED = [
  "elicitation/create",
  "sampling/createMessage",
  "roots/list",
  "notifications/message",
] as const;

export type Method = (typeof READING)[number] | (typeof UNASKED)[number];

export const METHODS: ReadonlySet<string> = new Set<string>([...READING, ...UNASKED]);
const PART_OF_CALL: ReadonlySet<string> = new Set<string>(UNASKED);

/** Whether this is the identity of a server's method, and not of a tool. */
export const isMethodId = (id: string): boolean => METHODS.has(parseToolId(id).tool);

/** Whether what it names happens within a call, which was decided on by itself. */
export const isPartOfCall = (id: string): boolean => PART_OF_CALL.has(parseToolId(id).tool);

/**
 * Whether a key of a declaration, a name or a pattern for identities, speaks of methods and not of tools: no tool of a
 * server has a `/` in its name.
 */
export function isForMethods(key: string): boolean {
  const { server, tool } = parseToolId(key);
  return server !== null && tool.includes("/");
}

/** Whether such a key matches a method that there is. */
export function matchesAnyMethod(key: string): boolean {
  const { tool } = parseToolId(key);
  return [...METHODS].some((method) => matchesWildcard(tool, method));
}

/** @throws SluicegateError `policy-invalid` for a key that is written like a method's and matches none. */
export function assertMethodKey(key: string): void {
  if (!isForMethods(key) || matchesAnyMethod(key)) return;
  throw new SluicegateError(
    "policy-invalid",
    `The declaration of ${quoteName(key)} can't apply to anything.`,
    {
      why: "It has a `/` in its name, which only the methods of a server have, and it matches none of them.",
      fix: `Write a tool's name, or one of ${[...METHODS].map((method) => `\`${method}\``).join(", ")}.`,
      details: { tool: key },
    },
  );
}

/** The identity under which a method of a server is decided on. */
export const toMethodId = (server: string, method: Method): string => toToolId(server, method);
