/** The variables that a policy needs: what each is, and its value where a configuration or the person says it. */
import type { EnvFile } from "../../policy-file/internal.ts";
import { askedBy, textsOf, valuesFor } from "../configurations/fill-server.ts";
import type { GatheredServer } from "../configurations/gather-servers.ts";
import { variablesIn } from "../configurations/variables.ts";
import { canCarry, type Entry, foundNames } from "./env-text.ts";

/** Where a variable's value is: `open` where somebody has to fill it in. */
export type ValuePlace = "environment" | "found" | "env-file" | "open";

export interface Variable {
  readonly name: string;
  /** What it is, or where its value was found. */
  readonly where: string;
  readonly place: ValuePlace;
  /** The value that goes into the env file; null if none does. Never shown. */
  readonly value: string | null;
  /** Whether it has a value that no env file can hold. */
  readonly isUnwritable: boolean;
}

interface Known {
  /** What VS Code asks for, by the variable's name. */
  readonly inputs: ReadonlyMap<string, string>;
  readonly envFile: EnvFile | null;
}

/** Each once, in the order of the servers. */
export function neededVariables(servers: readonly GatheredServer[], known: Known): readonly Variable[] {
  const variables = new Map<string, Variable>();
  for (const server of servers) {
    const values = valuesFor(server, process.env);
    for (const name of textsOf(server).flatMap(variablesIn))
      if (!variables.has(name)) variables.set(name, toVariable(name, server, values, known));
  }
  return [...variables.values()];
}

function toVariable(
  name: string,
  server: GatheredServer,
  values: ReadonlyMap<string, string>,
  { inputs, envFile }: Known,
): Variable {
  const place = `\`${server.names[0]}\` in ${server.places[0]}`;
  const hidden = server.hidden.find((one) => one.name === name);
  if (hidden === undefined) {
    const where = inputs.get(name) ?? `asked for by ${place}`;
    return { name, where, place: placeOf(name, envFile), value: null, isUnwritable: false };
  }
  const value = values.get(name);
  const isWritable = value !== undefined && canCarry(value);
  return {
    name,
    where: `${hidden.where} of ${place}`,
    place: isWritable ? "found" : placeOf(name, envFile),
    value: isWritable ? value : null,
    isUnwritable: value !== undefined && !isWritable,
  };
}

/** Fits in an address and a command, and is nobody's. */
export const STAND_IN = "https://fill-in.invalid";

function placeOf(name: string, envFile: EnvFile | null): ValuePlace {
  if (process.env[name] !== undefined) return "environment";
  const kept = envFile?.values.get(name) ?? "";
  return kept === "" || kept === STAND_IN ? "open" : "env-file";
}

/** What goes into the env file. What the person's environment has stays there. */
export const entriesOf = (
  variables: readonly Variable[],
  standIns: ReadonlyMap<string, string>,
): readonly Entry[] =>
  variables
    .filter(({ place }) => place === "found" || place === "open")
    .map(({ name, value, where }) => ({ name, value, about: where, standIn: standIns.get(name) ?? "" }));

interface KeptApart {
  readonly servers: readonly GatheredServer[];
  /** About those that were left out. */
  readonly notes: readonly string[];
}

/**
 * The servers that get no secret from the env file but what was found in themselves or filled in by a person. THREAT:
 * what `init` found once lies there under a name that can be guessed, and a project may ask for `${GITHUB_TOKEN}` only
 * after that name was given to what another configuration holds.
 */
export function withoutBorrowers(servers: readonly GatheredServer[], envFile: EnvFile | null): KeptApart {
  if (envFile === null) return { servers, notes: [] };
  const found = foundNames(envFile.text);
  const secrets = new Set(servers.flatMap(({ hidden }) => hidden.map(({ value }) => value)));
  const isSecret = (name: string): boolean => {
    const value = envFile.values.get(name) ?? "";
    return process.env[name] === undefined && value !== "" && (found.has(name) || secrets.has(value));
  };
  const borrowedBy = (server: GatheredServer): string | undefined => askedBy(server).find(isSecret);
  return {
    servers: servers.filter((server) => borrowedBy(server) === undefined),
    notes: servers.flatMap((server) => {
      const name = borrowedBy(server);
      return name === undefined ? [] : [wordBorrower(server, name)];
    }),
  };
}

const wordBorrower = ({ names, places }: GatheredServer, name: string): string =>
  `\`${names[0]}\` of \`${places[0]}\` was left out: it asks for \`${name}\`, and the env file holds under that name what was found in another configuration. Where it may have that, set \`${name}\` in the environment; else take the variable out of the env file.`;
