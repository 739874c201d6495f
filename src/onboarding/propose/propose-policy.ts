/** From the MCP configurations that a person's agents have to a policy and its env file, with a reason for each guess. */
import { existsSync } from "node:fs";
import { basename } from "node:path";
import { toVisible } from "../../json/visible-json.ts";
import { envFileOf, parseEnvText } from "../../policy-file/internal.ts";
import { classifyServer } from "../classify/classify-server.ts";
import type { DescribedTool } from "../classify/proposal.ts";
import {
  type ConfigurationFile,
  configurationFiles,
  namedFile,
  type Place,
  readBounded,
  shownPath,
} from "../configurations/configuration-files.ts";
import { type GatheredServer, gatherServers } from "../configurations/gather-servers.ts";
import {
  type FoundServer,
  type ReadConfiguration,
  readConfiguration,
} from "../configurations/read-configuration.ts";
import { inputName } from "../configurations/variables.ts";
import { withEntries } from "../secrets/env-text.ts";
import {
  entriesOf,
  neededVariables,
  STAND_IN,
  type Variable,
  withoutBorrowers,
} from "../secrets/needed-variables.ts";
import { assertUsable, selectUsable } from "./check-proposed.ts";
import { type ProposedServer, policyText } from "./policy-text.ts";
import { alreadyThere, findEnvFile, writeEnvFile, writeNew } from "./write-files.ts";

/** What came of asking one server for its tools. */
export type Listed =
  | { readonly kind: "tools"; readonly tools: readonly DescribedTool[] }
  | { readonly kind: "failed"; readonly reason: string };

export type Environment = Readonly<Record<string, string | undefined>>;

interface ProposeOptions {
  readonly home: string;
  /** Where the person stands. */
  readonly folder: string;
  /** These configurations alone; null: all that agents have here. */
  readonly from: readonly string[] | null;
  /** The policy to write; an absolute path. */
  readonly file: string;
  /** Whether what is there is replaced. */
  readonly replace: boolean;
  /** Asks the servers for their tools, by their ids; those that it leaves out were not asked. */
  readonly list: (
    servers: readonly GatheredServer[],
    environment: Environment,
  ) => Promise<ReadonlyMap<string, Listed>>;
}

/** What was written. */
interface Proposed {
  readonly servers: readonly ProposedServer[];
  readonly variables: readonly Variable[];
  /** The env file; null if none is needed. */
  readonly envFile: string | null;
  readonly notes: readonly string[];
}

/**
 * Writes a policy for the servers that are found, and what its variables stand for into its env file. Writes nothing
 * where there are none.
 * @throws SluicegateError where the policy is there already and isn't to be replaced, or a file can't be read or written.
 */
export async function proposePolicy(options: ProposeOptions): Promise<Proposed> {
  const { file, replace } = options;
  if (existsSync(file) && !replace) throw alreadyThere(file);
  const envPath = envFileOf(file);
  const envFile = await findEnvFile(envPath);
  const kept = envFile?.values ?? new Map<string, string>();
  const found = await findServers(options, options.from);
  const gathered = gatherServers(found.servers, process.env, replace ? new Map() : withValues(kept));
  const known = { inputs: found.inputs, envFile };
  const own = withoutBorrowers(gathered, envFile);
  const foundValues = neededVariables(own.servers, known).flatMap(({ name, value }) =>
    value === null ? [] : [[name, value] as const],
  );
  const usable = await selectUsable(own.servers, file, new Map([...kept, ...foundValues]));
  const { servers } = usable;
  const notes = [...found.notes, ...own.notes, ...usable.notes];
  if (servers.length === 0) return { servers: [], variables: [], envFile: null, notes };
  const filledIn = [...kept].filter(([, value]) => value !== "" && value !== STAND_IN);
  const listed = await options.list(servers, { ...Object.fromEntries(filledIn), ...process.env });
  const proposed = servers.map((server) => propose(server, listed.get(server.id)));
  const variables = neededVariables(servers, known);
  const entries = entriesOf(variables, usable.standIns);
  const before = envFile?.text ?? (entries.length > 0 ? headOfEnv(file) : "");
  const envText = withEntries(before, entries, replace);
  const text = policyText(proposed, headOf(found.files));
  await assertUsable(text, file, parseEnvText(envText));
  // First, since without the policy it does no harm.
  await writeEnvFile(envPath, envText, envFile);
  await writeNew(file, text, replace);
  const isThere = envFile !== null || entries.length > 0;
  return { servers: proposed, variables, envFile: isThere ? envPath : null, notes };
}

function propose(server: GatheredServer, listed: Listed | undefined): ProposedServer {
  const tools = listed?.kind === "tools" ? listed.tools : null;
  const proposal = classifyServer({ transport: server.original, tools });
  // What a pack knows of it holds whether or not it starts here and now.
  const problem = listed?.kind === "failed" ? listed.reason : null;
  return { server, proposal, problem, wasAsked: listed !== undefined };
}

/** A name without a value is free. */
const withValues = (values: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map([...values].filter(([, value]) => value !== ""));

const headOfEnv = (file: string): string =>
  `# What the variables of ${toVisible(basename(file)).replaceAll(/["'`]/g, "")} stand for. Secrets: keep it out of git.\n`;

const headOf = (files: readonly string[]): readonly string[] => [
  "A policy that `sluicegate init` proposed. Why stands above each tool, or above several that it holds for.",
  "Look at what is DOUBTFUL first, and raise the level of what is more sensitive than it was taken for.",
  ...files.map((file) => `Made from ${file}`),
];

interface Found {
  /** Those that have servers. */
  readonly files: readonly string[];
  readonly servers: readonly FoundServer[];
  readonly notes: readonly string[];
  /** What VS Code asks the person for, by the variable's name. */
  readonly inputs: ReadonlyMap<string, string>;
}

/** The servers of these files, or of all that agents have here. */
async function findServers(place: Place, from: readonly string[] | null): Promise<Found> {
  const files = from?.map((path) => namedFile(path, place.home)) ?? configurationFiles(place);
  const read = await Promise.all(files.map((file) => readFile(file, from !== null)));
  return {
    files: files
      .filter((_, index) => (read[index]?.servers.length ?? 0) > 0)
      .map(({ path }) => shownPath(path, place.home)),
    servers: read.flatMap(({ servers }) => servers),
    notes: read.flatMap(({ notes }) => notes),
    inputs: new Map(
      read
        .flatMap(({ variables }) => [...variables])
        .map(([id, about]) => [inputName(id), `asked for by VS Code: ${about}`]),
    ),
  };
}

async function readFile(file: ConfigurationFile, isWanted: boolean): Promise<ReadConfiguration> {
  try {
    const text = await readBounded(file.path);
    if (text !== null) return readConfiguration(text, file);
    if (isWanted) return passedOver(file, "it isn't there");
    return { servers: [], notes: [], variables: new Map() };
  } catch (error) {
    return passedOver(file, error instanceof Error ? error.message : "of an unknown fault");
  }
}

const passedOver = ({ path, home }: ConfigurationFile, reason: string): ReadConfiguration => ({
  servers: [],
  notes: [`\`${shownPath(path, home)}\` was passed over: ${reason}.`],
  variables: new Map(),
});
