/** From the text of an agent's configuration to the servers in it. What isn't one is passed over, and said. */
import { type ParseError, parse } from "jsonc-parser";
import { propertyOf } from "../../json/plain-data.ts";
import { type ConfigurationFile, shownPath } from "./configuration-files.ts";
import { toPolicyText, type VariableNotes } from "./variables.ts";

/** A server as an agent has it. Its texts are in a policy's notation, so they may hold `${NAME}` and secrets. */
export interface FoundServer {
  readonly name: string;
  /** The file, for people. */
  readonly place: string;
  readonly transport: FoundTransport;
}

export type FoundTransport =
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      /** Null: wherever the policy lies. */
      readonly cwd: string | null;
    }
  | { readonly kind: "http"; readonly url: string; readonly headers: Readonly<Record<string, string>> };

export interface ReadConfiguration {
  readonly servers: readonly FoundServer[];
  /** What was passed over, as sentences. */
  readonly notes: readonly string[];
  /** Variables that the servers need and that nobody's environment has yet, with what is known of them. */
  readonly variables: VariableNotes;
}

interface Reading {
  readonly file: ConfigurationFile;
  readonly servers: FoundServer[];
  readonly notes: string[];
  readonly variables: Map<string, string>;
}

/** THREAT: anybody may have written the file. Never throws. */
export function readConfiguration(text: string, file: ConfigurationFile): ReadConfiguration {
  const reading: Reading = { file, servers: [], notes: [], variables: new Map() };
  const document = parseLenient(text);
  if (document === null) {
    reading.notes.push(
      `\`${shownPath(file.path, file.home)}\` is no JSON that can be read; nothing of it was taken.`,
    );
    return reading;
  }
  for (const { key, value } of inputsOf(document)) reading.variables.set(key, value);
  for (const { servers, folder } of serverMaps(document, file)) {
    for (const [name, server] of entries(servers)) readServer(name, server, folder, reading);
  }
  return reading;
}

function parseLenient(text: string): unknown {
  const errors: ParseError[] = [];
  try {
    const value: unknown = parse(text.replace(/^\uFEFF/, ""), errors, { allowTrailingComma: true });
    return errors.length > 0 || typeof value !== "object" ? null : value;
  } catch {
    // So deeply nested that the stack gave out.
    return null;
  }
}

/** The places in a document where agents list their servers. */
function serverMaps(
  document: unknown,
  file: ConfigurationFile,
): { servers: unknown; folder: string | null }[] {
  const { folder } = file;
  // THREAT: the parser lets a key `__proto__` set what a server seems to have, so only own properties count.
  const projects = entries(propertyOf(document, "projects")).map(([path, project]) => ({
    servers: propertyOf(project, "mcpServers"),
    folder: path,
  }));
  return [
    { servers: propertyOf(document, "mcpServers"), folder },
    { servers: propertyOf(document, "servers"), folder },
    { servers: propertyOf(propertyOf(document, "mcp"), "servers"), folder },
    ...projects,
  ];
}

/** What VS Code asks the person for. */
function inputsOf(document: unknown): { key: string; value: string }[] {
  const lists = [propertyOf(document, "inputs"), propertyOf(propertyOf(document, "mcp"), "inputs")];
  return lists
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .flatMap((input) => {
      const id = propertyOf(input, "id");
      const description = propertyOf(input, "description");
      return typeof id === "string"
        ? [{ key: id, value: typeof description === "string" ? description : "" }]
        : [];
    });
}

function readServer(name: string, server: unknown, folder: string | null, reading: Reading): void {
  const { file, notes } = reading;
  const path = shownPath(file.path, file.home);
  const place =
    folder === null || folder === file.folder ? path : `${path} (${shownPath(folder, file.home)})`;
  if (propertyOf(server, "disabled") === true || propertyOf(server, "enabled") === false) {
    notes.push(`\`${name}\` of \`${place}\` is switched off there, so it was left out.`);
    return;
  }
  const to = (text: string): string => toPolicyText(text, { file, folder, inputs: reading.variables });
  const transport = readTransport(server, folder, to);
  if (transport === null) {
    notes.push(`\`${name}\` of \`${place}\` has neither a command nor an address, so it was left out.`);
    return;
  }
  if (propertyOf(server, "envFile") !== undefined)
    notes.push(
      `\`${name}\` of \`${place}\` takes variables from a file; write those that it needs under its \`env\`.`,
    );
  reading.servers.push({ name, place, transport });
}

function readTransport(
  server: unknown,
  folder: string | null,
  to: (text: string) => string,
): FoundTransport | null {
  const url = propertyOf(server, "url") ?? propertyOf(server, "serverUrl");
  if (typeof url === "string" && url !== "")
    return { kind: "http", url: to(url), headers: texts(server, "headers", to) };
  const command = propertyOf(server, "command");
  if (typeof command !== "string" || command === "") return null;
  const args = propertyOf(server, "args");
  const cwd = propertyOf(server, "cwd");
  return {
    kind: "stdio",
    command: to(command),
    args: (Array.isArray(args) ? args : []).filter((arg) => isScalar(arg)).map((arg) => to(String(arg))),
    env: texts(server, "env", to),
    cwd: typeof cwd === "string" ? to(cwd) : folder,
  };
}

function texts(server: unknown, key: string, to: (text: string) => string): Readonly<Record<string, string>> {
  const found = entries(propertyOf(server, key)).filter(([, value]) => isScalar(value));
  return Object.fromEntries(found.map(([name, value]) => [name, to(String(value))]));
}

const isScalar = (value: unknown): value is string | number | boolean =>
  ["string", "number", "boolean"].includes(typeof value);

const entries = (value: unknown): readonly (readonly [string, unknown])[] =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
