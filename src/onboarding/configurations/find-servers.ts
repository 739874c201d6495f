/** Reads the configurations that there are. One that can't be read costs a note, and nothing of the others. */
import {
  type ConfigurationFile,
  configurationFiles,
  namedFile,
  type Place,
  readBounded,
  shownPath,
} from "./configuration-files.ts";
import { type FoundServer, type ReadConfiguration, readConfiguration } from "./read-configuration.ts";
import { inputName } from "./variables.ts";

export interface Found {
  /** Those that have servers. */
  readonly files: readonly string[];
  readonly servers: readonly FoundServer[];
  readonly notes: readonly string[];
  /** What VS Code asks the person for, by the variable's name. */
  readonly inputs: ReadonlyMap<string, string>;
}

/** The servers of these files, or of all that agents have here. */
export async function findServers(place: Place, from: readonly string[] | null): Promise<Found> {
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
