/** Where a tool's declaration is laxer than what its server says of it, or than what is known of it. */
import type { Lattice, Tool } from "../../core/index.ts";
import { knownLevels } from "./declaration.ts";
import type { DescribedTool, Proposal } from "./proposal.ts";
import { flagOf, readArguments } from "./tool-arguments.ts";

/** Sentences, none if nothing speaks against the declaration. `proposal` is what would be proposed for the tool. */
export function disagreements(
  declared: Tool,
  described: DescribedTool,
  proposal: Proposal,
  lattice: Lattice,
): readonly string[] {
  const known = proposal.confidence === "known" ? againstPack(declared, proposal, lattice) : [];
  return [...againstHints(declared, described), ...againstSchema(declared, described), ...known];
}

/** Arguments that the user's word or a recipient's clearance is asked for, and that no call can have. */
function againstSchema({ critical, payload, to }: Tool, { inputSchema }: DescribedTool): readonly string[] {
  const { names } = readArguments(inputSchema);
  if (names.length === 0) return [];
  const isKnown = (path: string): boolean =>
    path.split(".").every((part) => names.includes(part.replaceAll("[]", "")));
  const wrong = (key: string, paths: readonly string[]): readonly string[] =>
    paths
      .filter((path) => !isKnown(path))
      .map((path) => `Its \`${key}\` names \`${path}\`, and its schema has no such argument.`);
  return [...wrong("critical", critical), ...wrong("payload", payload), ...wrong("sink.to", to ?? [])];
}

function againstHints(
  { permissions, clearances, approval }: Tool,
  described: DescribedTool,
): readonly string[] {
  const hint = (name: string): boolean | null => flagOf(described.annotations, name);
  const { addresses } = readArguments(described.inputSchema);
  const found: string[] = [];
  if (hint("readOnlyHint") === false && !permissions.includes("write"))
    found.push("It says that it changes something, and is declared without `write`.");
  if (hint("openWorldHint") === true && clearances === null)
    found.push("It says that it reaches outside, and is declared to send nothing out.");
  if (addresses.length > 0 && clearances === null)
    found.push(`It takes \`${addresses[0]?.slice(0, 40)}\`, and is declared to send nothing out.`);
  if (hint("destructiveHint") === true && hint("readOnlyHint") !== true && approval === "never")
    found.push("It says that it may destroy, and nobody is asked.");
  return found;
}

function againstPack(declared: Tool, proposal: Proposal, lattice: Lattice): readonly string[] {
  const { permissions, source, sink, approval } = proposal;
  const known = knownLevels(lattice);
  const rank = (level: string): number =>
    level === "*" ? lattice.levels.length : lattice.levels.indexOf(level);
  const found = permissions
    .filter((one) => one !== "read" && !declared.permissions.includes(one))
    .map((one) => `It is known to need \`${one}\`.`);
  if (source !== null && known.has(source.level) && rank(declared.source?.level ?? "") < rank(source.level))
    found.push(`It is known to bring in ${source.level} data.`);
  const isOpen =
    declared.clearances === null ||
    declared.clearances.some(({ level }) => sink !== null && rank(level) > rank(sink));
  if (sink !== null && known.has(sink) && isOpen)
    found.push(`It is known as a way out for ${sink} data at most.`);
  if (approval !== "never" && declared.approval === "never")
    found.push("It is known as one that a person should be asked about.");
  return found;
}
