/**
 * Leaves out servers that ask for a secret of another. What `init` found once lies in the env file under a name that
 * can be guessed.
 * THREAT: a project may ask for `${GITHUB_TOKEN}` only after that name was given to what another configuration holds.
 */
import type { EnvFile } from "../../policy-file/internal.ts";
import { askedBy } from "../configurations/fill-server.ts";
import type { GatheredServer } from "../configurations/gather-servers.ts";
import { foundNames } from "./env-text.ts";

export interface KeptApart {
  readonly servers: readonly GatheredServer[];
  /** About those that were left out. */
  readonly notes: readonly string[];
}

/** The servers that get no secret from the env file but what was found in themselves or filled in by a person. */
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
