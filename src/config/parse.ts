/** From the text of a policy file to a policy that decides and the servers that it names. No I/O of its own. */

import { dirname, resolve } from "node:path";
import { definePolicy, type Policy } from "../core/index.ts";
import { checkApprovals } from "./check-approvals.ts";
import { checkLabels } from "./check-labels.ts";
import { checkRoles } from "./check-roles.ts";
import { checkServers } from "./check-servers.ts";
import { checkShape } from "./check-shape.ts";
import { checkTools } from "./check-tools.ts";
import { checkWorkspace, type FolderCheck } from "./check-workspace.ts";
import { compileConditions, conditionsOf } from "./compile-conditions.ts";
import { type ConditionCompiler, loadConditionCompiler } from "./conditions/load-compiler.ts";
import { type Declared, readDeclared } from "./declared.ts";
import { type Environment, fillIn } from "./environment.ts";
import type { Loaded } from "./loaded.ts";
import { readYaml } from "./read-yaml.ts";
import { createReport, invalidPolicy, type Report, type Warning } from "./report.ts";
import { type ServerConfig, toServers } from "./servers.ts";
import { toDeclaration } from "./to-declaration.ts";
import type { TextTree, Tree } from "./tree.ts";
import { versionOf } from "./version.ts";
import { warnAboutApprovals } from "./warn-about-approvals.ts";
import { warnAboutNames } from "./warn-about-names.ts";
import { warnAboutTools } from "./warnings.ts";

/** A policy file that was read and found sound. */
export interface Config {
  /** The file's absolute path. */
  readonly file: string;
  readonly policy: Policy;
  readonly servers: ReadonlyMap<string, ServerConfig>;
  /** Where the agent works on files; null where the policy declares no workspace. */
  readonly workspace: WorkspaceConfig | null;
  /** In file order. */
  readonly warnings: readonly Warning[];
}

/** Where an agent works on files. */
export interface WorkspaceConfig {
  /** Absolute, and not yet followed where it is a link. */
  readonly root: string;
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
   * no folder is looked at.
   */
  readonly checkFolder?: (path: string) => string | null;
}

/**
 * Reads the text of a policy file. What conditions need is loaded only where there is one.
 * @throws SluicegateError `policy-invalid` with everything that is wrong with it, by line and column, in
 * `details.problems`.
 */
export async function parseConfig(text: string, options: ParseOptions): Promise<Config> {
  const reading = readPolicyFile(text, options);
  const compile = reading.conditions.length > 0 ? await loadConditionCompiler() : null;
  return toConfig(reading, options, compile);
}

/** A file whose YAML was read, with its variables filled in; `report` has what is wrong so far. */
export interface Reading {
  readonly report: Report;
  readonly written: Tree;
  readonly root: Tree;
  readonly declared: Declared;
  /** What has to be compiled. */
  readonly conditions: readonly TextTree[];
}

/** The first half of `parseConfig`. Throws for what is no YAML. */
export function readPolicyFile(text: string, { file, environment }: ParseOptions): Reading {
  const report = createReport(file);
  const written = readYaml(text, report);
  if (written === null) throw invalidPolicy(report);
  const root = fillIn(written, environment, report);
  const declared = readDeclared(root);
  return { report, written, root, declared, conditions: conditionsOf(declared) };
}

/** The second half. `compile` may be null only where there is no condition. */
export function toConfig(
  { report, written, root, declared, conditions }: Reading,
  { file, version, checkFolder = () => null }: ParseOptions,
  compile: ConditionCompiler | null,
): Config {
  const absolute = resolve(file);
  const problemWith: FolderCheck = (path) => checkFolder(resolve(dirname(absolute), path));
  const document = checkShape(root, report);
  checkLabels(root, declared, report);
  checkTools(declared, report);
  checkServers(declared, report);
  checkWorkspace(declared, problemWith, report);
  checkRoles(root, declared, report);
  checkApprovals(root, report);
  const compiled = compile ? compileConditions(conditions, declared, compile, report) : new Map();
  if (document === null || report.problems().length > 0) throw invalidPolicy(report);
  const policy = definePolicy(toDeclaration(document, compiled), { version: version ?? versionOf(written) });
  const { workspace } = document;
  return Object.freeze({
    file: absolute,
    policy,
    servers: toServers(document, absolute),
    workspace: workspace ? Object.freeze({ root: resolve(dirname(absolute), workspace.root) }) : null,
    warnings: warningsOf(file, { root, declared, policy }),
  });
}

function warningsOf(file: string, loaded: Loaded): readonly Warning[] {
  const report = createReport(file);
  warnAboutTools(loaded, report);
  warnAboutNames(loaded, report);
  warnAboutApprovals(loaded, report);
  return report.problems();
}
