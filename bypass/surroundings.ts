/** The names under which a gateway shows what the suite's servers offer. */
import type { Json, WireClient } from "./wire.ts";

export type ServerName =
  | "notes"
  | "post"
  | "impostor"
  | "stranger"
  | "drawer"
  | "vault"
  | "depot"
  | "tickets";

export interface Surroundings {
  /** The name by which clients call a tool; undefined where the list doesn't show it. */
  tool(server: ServerName, tool: string): string | undefined;
  prompt(name: "summary" | "announce"): string;
  /** The address of a resource that a template makes. */
  uri(template: "page" | "outbox", value: string): string;
  /** The address of the resource `notes://all`. */
  readonly allNotes: string;
  readonly toolNames: readonly string[];
}

/** What a list shows; nothing where it isn't answered. */
export async function listOf(client: WireClient, method: string, key: string): Promise<readonly Json[]> {
  const result = (await client.request(method)).message?.result;
  const items = (result as Json | undefined)?.[key];
  return Array.isArray(items) ? items : [];
}

export async function lookAround(client: WireClient): Promise<Surroundings> {
  const list = (method: string, key: string): Promise<readonly Json[]> => listOf(client, method, key);
  const toolNames = (await list("tools/list", "tools")).map(({ name }) => String(name));
  const prompts = (await list("prompts/list", "prompts")).map(({ name }) => String(name));
  const templates = (await list("resources/templates/list", "resourceTemplates")).map(({ uriTemplate }) =>
    String(uriTemplate),
  );
  const resources = (await list("resources/list", "resources")).map(({ uri }) => String(uri));
  // A gateway may show a private server as one resource, and take the server's own addresses behind that one's.
  const index = resources.find((uri) => endsWithWord(uri, "notes"));
  const behind = index === undefined ? "" : `${index}/`;
  const fallback = { page: `${behind}notes://page/{page}`, outbox: "post://outbox/{text}" };
  const unlisted = { summary: index === undefined ? "summary" : "notes__summary", announce: "announce" };
  return {
    toolNames,
    tool: (server, tool) => pickTool(toolNames, server, tool),
    prompt: (name) => prompts.find((shown) => endsWithWord(shown, name)) ?? unlisted[name],
    uri: (template, value) => {
      const shown = templates.find((one) => one.includes(`${template}/`)) ?? fallback[template];
      return shown.replace(/\{\w+\}/, value);
    },
    allNotes: resources.find((uri) => endsWithWord(uri, "all")) ?? `${behind}notes://all`,
  };
}

const endsWithWord = (text: string, word: string): boolean =>
  text === word || (text.endsWith(word) && /[^a-zA-Z0-9]/.test(text.at(-word.length - 1) ?? ""));

/** A tool offered by several servers is told apart by its server's name. */
function pickTool(names: readonly string[], server: ServerName, tool: string): string | undefined {
  const found = names.filter((name) => endsWithWord(name, tool));
  const others = ["notes", "post", "impostor", "stranger", "drawer", "vault", "depot", "tickets"].filter(
    (name) => name !== server,
  );
  return (
    found.find((name) => name.includes(server)) ??
    (tool === "look_up" && server === "stranger"
      ? undefined
      : found.find((name) => !others.some((other) => name.includes(other))))
  );
}

/** Every spelling by which a tool might be had at some gateway. */
export function spellings(server: ServerName, tool: string): readonly string[] {
  const full = ["__", "_", "-", ".", "/", ":", "___"].map((between) => `${server}${between}${tool}`);
  const plain = [tool, `mcp__${server}__${tool}`, `mcp_${server}_${tool}`, ...full];
  const bent = [tool.toUpperCase(), ` ${tool}`, `${tool} `, `${tool}\u0000`, `${tool}\u200b`, `./${tool}`];
  return [
    ...plain,
    ...bent,
    `MCP__${server}__${tool}`,
    `mcp__${server}____${tool}`,
    `${server}__${server}__${tool}`,
  ];
}
