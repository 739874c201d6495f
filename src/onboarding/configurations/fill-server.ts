/** From what was found to what is started: the servers with their variables filled in. */
import { dirname, resolve } from "node:path";
import type { ServerConfig } from "../../policy-file/index.ts";
import { maskArguments } from "../secrets/started-program.ts";
import type { GatheredServer } from "./gather-servers.ts";
import { fillText, variablesIn } from "./variables.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** What the variables of a server stand for: the environment's, and what was taken out of the configuration. */
export function valuesFor(
  { hidden }: Pick<GatheredServer, "hidden">,
  environment: Environment,
): Map<string, string> {
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(environment)) if (value !== undefined) values.set(name, value);
  for (const { name, value } of hidden) {
    const filled = fillText(value, values);
    if (filled !== null) values.set(name, filled);
  }
  return values;
}

/** The server as it is reached, or why it can't be. `file` is where the policy will lie. */
export function toUpstream(
  server: GatheredServer,
  environment: Environment,
  file: string,
): ServerConfig | string {
  const { id, transport } = server;
  const values = valuesFor(server, environment);
  const missing = textsOf(server)
    .flatMap(variablesIn)
    .find((name) => !values.has(name));
  if (missing !== undefined) return `the variable ${missing} is not set`;
  const fill = (text: string): string => fillText(text, values) ?? "";
  const fillAll = (record: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(record).map(([name, text]) => [name, fill(text)]));
  if (transport.kind === "http") {
    const url = fill(transport.url);
    if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ""))
      return "its address doesn't begin with http:// or https://";
    return { id, transport: { kind: "http", url, headers: fillAll(transport.headers) } };
  }
  const { command, args, env, cwd } = transport;
  const folder = resolve(dirname(file), cwd === null ? "." : fill(cwd));
  return {
    id,
    transport: {
      kind: "stdio",
      command: fill(command),
      args: args.map(fill),
      env: fillAll(env),
      cwd: folder,
    },
  };
}

/** What is started, for whoever is asked: every variable by its name, and each argument but for plain secrets. */
export function startLine({ transport, original, hidden }: GatheredServer, environment: Environment): string {
  const values = valuesFor({ hidden }, environment);
  if (transport.kind === "http" || original.kind === "http") {
    const url = transport.kind === "http" ? transport.url : "";
    const origin = URL.parse(fillText(url, values) ?? "")?.origin;
    return variablesIn(url).length === 0 || origin === undefined ? url : `${url} (${origin})`;
  }
  const fill = (text: string): string => fillText(text, values) ?? text;
  const { command, args } = original;
  const words = maskArguments({ ...original, command: fill(command), args: args.map(fill) });
  // What a configuration says stands there as a variable; what is plain was added by us.
  const variables = Object.entries(transport.env).map(([name, value]) =>
    value === "" || variablesIn(value).length > 0 ? `${name}=…` : `${name}=${value}`,
  );
  return [...variables, ...words.map((word) => (/[\s"']/.test(word) ? JSON.stringify(word) : word))].join(
    " ",
  );
}

/** The variables that a server's configuration asks for by name, in what was taken out of it too. */
export const askedBy = (server: GatheredServer): readonly string[] => {
  const own = server.hidden.map(({ value }) => value);
  const names = [...textsOf(server), ...own].flatMap(variablesIn);
  return [...new Set(names)].filter((name) => !server.hidden.some((one) => one.name === name));
};

/** The variables of the person's own that a server is given. */
export const lentTo = (server: GatheredServer, environment: Environment): readonly string[] =>
  askedBy(server).filter((name) => environment[name] !== undefined);

/** Every text of a server that may hold a variable. */
export function textsOf({ transport }: Pick<GatheredServer, "transport">): readonly string[] {
  if (transport.kind === "http") return [transport.url, ...Object.values(transport.headers)];
  const { command, args, env, cwd } = transport;
  return [command, ...args, ...Object.values(env), ...(cwd === null ? [] : [cwd])];
}
