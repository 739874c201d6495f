/** From the text of a policy file to a policy that decides and the servers that it names. No I/O of its own. */

import { createHash } from "node:crypto";
import { dirname, resolve } from "node:path";
import { definePolicy, type Policy } from "../core/index.ts";
import { checkShape } from "./check-shape.ts";
import {
  type CompiledConditions,
  type ConditionTree,
  compileConditions,
  conditionsOf,
} from "./compile-conditions.ts";
import { type ConditionCompiler, loadConditionCompiler } from "./conditions/compile-condition.ts";
import { type Environment, fillIn } from "./document/environment.ts";
import { withIncluded } from "./document/include.ts";
import type { Files } from "./document/read-files.ts";
import { readYaml } from "./document/read-yaml.ts";
import { createReport, invalidPolicy, type Report, type Warning } from "./document/report.ts";
import { entriesOf, type Tree } from "./document/tree.ts";
import { type ApiFiles, readDocuments } from "./sections/api-document.ts";
import { type Declared, readDeclared } from "./sections/declared.ts";
import { type GroupFiles, readGroups } from "./sections/endorsement.ts";
import { keyFilesOf } from "./sections/identities.ts";
import { checkSections, convertSections, type Sections, warnAboutSections } from "./sections.ts";

/** A policy file that was read and found sound. */
export interface Config extends Omit<Sections, "declaration"> {
  /** The file's absolute path. */
  readonly file: string;
  /**
   * The absolute paths of all that was read: the file, those that it includes, the documents of its APIs. With
   * `loadConfig` its env file too, whether or not there is one.
   */
  readonly files: readonly string[];
  readonly policy: Policy;
  /** In file order. */
  readonly warnings: readonly Warning[];
}

/** What a policy file is read with. */
export interface ParseOptions {
  /** What the file is called in messages; paths in it are relative to its folder. */
  readonly file: string;
  /** Where `${NAME}` is looked up. */
  readonly environment: Environment;
  /** The policy's version; by default the hash of what the text says. */
  readonly version?: string;
  /**
   * Says what is wrong with a folder that the file names, as the end of a sentence about it, or null. By default
   * no folder is examined.
   */
  readonly checkFolder?: (path: string) => string | null;
  /**
   * Reads a file that the policy names (one to include, an API's document) as UTF-8, of at most so many bytes. By
   * default naming one is an error.
   */
  readonly readText?: (path: string, largest: number) => Promise<string>;
}

/**
 * Reads the text of a policy file, and the files that it names. What conditions need is loaded only where there is
 * one.
 * @throws SluicegateError `policy-invalid` with everything that is wrong with it, by file, line and column, in
 * `details.problems`.
 */
export async function parseConfig(text: string, options: ParseOptions): Promise<Config> {
  const { file, environment, readText } = options;
  const read = new Set([resolve(file)]);
  const files: Files = { policy: file, readText: readText && recording(readText, read) };
  const report = createReport(file);
  const written = await withIncluded(readWritten(text, report), environment, files, report);
  const root = fillIn(written, environment, report);
  const documents = await readDocuments(root, files, report);
  const groups = await readGroups(root, files, report);
  const reading = toReading({ report, written, root, documents, groups, files: [...read] });
  const compile = reading.conditions.length > 0 ? await loadConditionCompiler() : null;
  return toConfig(reading, options, compile);
}

type ReadText = NonNullable<ParseOptions["readText"]>;

/** Reads as before, and keeps which files. */
const recording =
  (readText: ReadText, read: Set<string>): ReadText =>
  (path, largest) => {
    read.add(resolve(path));
    return readText(path, largest);
  };

/** What was read: the policy with what it includes, and its APIs' documents. `report` has what is wrong so far. */
interface Read {
  readonly report: Report;
  readonly written: Tree;
  /** With its variables filled in. */
  readonly root: Tree;
  readonly documents: ApiFiles;
  readonly groups: GroupFiles;
  /** Absolute. */
  readonly files: readonly string[];
}

export interface Reading extends Read {
  readonly declared: Declared;
  /** What has to be compiled. */
  readonly conditions: readonly ConditionTree[];
}

/** Throws for what is no YAML. */
function readWritten(text: string, report: Report): Tree {
  const written = readYaml(text, report);
  if (written === null) throw invalidPolicy(report);
  return written;
}

/** A text that names no other file. */
export function readPolicyText(text: string, { file, environment }: ParseOptions): Reading {
  const report = createReport(file);
  const written = readWritten(text, report);
  const root = fillIn(written, environment, report);
  return toReading({
    report,
    written,
    root,
    documents: new Map(),
    groups: new Map(),
    files: [resolve(file)],
  });
}

function toReading(read: Read): Reading {
  const declared = readDeclared(read.root, read.documents);
  return { ...read, declared, conditions: conditionsOf(read.root, declared) };
}

/** The second half of `parseConfig`. `compile` may be null only if there is no condition. */
export function toConfig(reading: Reading, options: ParseOptions, compile: ConditionCompiler | null): Config {
  const { report, written, root, declared, documents, groups } = reading;
  const file = resolve(options.file);
  const document = checkShape(root, report);
  checkSections(
    { ...reading, file: options.file },
    (path) => options.checkFolder?.(resolve(dirname(file), path)) ?? null,
  );
  const compiled = compile ? compileConditions(reading.conditions, declared, compile, report) : NO_CONDITIONS;
  if (document === null || report.problems().length > 0) throw invalidPolicy(report);
  const { declaration, ...sections } = convertSections(document, {
    file,
    declared,
    documents,
    groups,
    conditions: compiled.conditions,
  });
  const digests = new Map([
    ...[...documents].map(([id, { digest }]) => [id, digest] as const),
    ...[...groups].map(([id, { digest }]) => [`group:${id}`, digest] as const),
  ]);
  const policy = definePolicy(declaration, { version: options.version ?? versionOf(written, digests) });
  const warnings = createReport(options.file);
  warnAboutSections({ root, declared, policy }, { ...sections, names: compiled.names }, warnings);
  // THREAT: whoever can write a file of keys can sign for anybody.
  const files = Object.freeze([...reading.files, ...keyFilesOf(sections.identities)]);
  return Object.freeze({ file, files, policy, ...sections, warnings: warnings.problems() });
}

const NO_CONDITIONS: CompiledConditions = { conditions: new Map(), names: new Map() };

const byKey = (left: { key: string }, right: { key: string }): number => (left.key < right.key ? -1 : 1);

function canonical(tree: Tree): string {
  switch (tree.kind) {
    case "scalar":
      return JSON.stringify(tree.value);
    case "list":
      return `[${tree.items.map(canonical).join(",")}]`;
    case "map": {
      const entries = [...entriesOf(tree)].sort(byKey);
      return `{${entries.map(({ key, value }) => `${JSON.stringify(key)}:${canonical(value)}`).join(",")}}`;
    }
  }
}

/**
 * `sha256:` and the hash of a document's canonical JSON, followed by the hashes of what else belongs to it, by name.
 * Give it the document as written: secrets that variables hold are no part of a policy's identity.
 */
export function versionOf(tree: Tree, digests: ReadonlyMap<string, string> = new Map()): string {
  const hash = createHash("sha256").update(canonical(tree));
  for (const [name, digest] of [...digests].sort(([left], [right]) => (left < right ? -1 : 1))) {
    hash.update(`\n${JSON.stringify([name, digest])}`);
  }
  return `sha256:${hash.digest("hex")}`;
}
