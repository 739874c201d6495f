/** From the text of a policy file to a policy that decides and the servers that it names. No I/O. */

import { resolve } from "node:path";
import { definePolicy, type Policy } from "../core/index.ts";
import { checkLabels } from "./check-labels.ts";
import { checkRoles } from "./check-roles.ts";
import { checkServers } from "./check-servers.ts";
import { checkShape } from "./check-shape.ts";
import { checkTools } from "./check-tools.ts";
import { readDeclared } from "./declared.ts";
import { type Environment, fillIn } from "./environment.ts";
import type { Loaded } from "./loaded.ts";
import { readYaml } from "./read-yaml.ts";
import { createReport, invalidPolicy, type Warning } from "./report.ts";
import { type ServerConfig, toServers } from "./servers.ts";
import { toDeclaration } from "./to-declaration.ts";
import { versionOf } from "./version.ts";
import { warnAboutNames } from "./warn-about-names.ts";
import { warnAboutTools } from "./warnings.ts";

/** A policy file that was read and found sound. */
export interface Config {
  /** The file's absolute path. */
  readonly file: string;
  readonly policy: Policy;
  readonly servers: ReadonlyMap<string, ServerConfig>;
  /** In file order. */
  readonly warnings: readonly Warning[];
}

export interface ParseOptions {
  /** What the file is called in messages; paths in it are relative to its folder. */
  readonly file: string;
  /** Where `${NAME}` is looked up. */
  readonly environment: Environment;
  /** The policy's version; by default the hash of what the text says. */
  readonly version?: string;
}

/**
 * Reads the text of a policy file.
 * @throws SluicegateError `policy-invalid` with everything that is wrong with it, by line and column, in
 * `details.problems`.
 */
export function parseConfig(text: string, { file, environment, version }: ParseOptions): Config {
  const report = createReport(file);
  const written = readYaml(text, report);
  if (written === null) throw invalidPolicy(report);
  const root = fillIn(written, environment, report);
  const document = checkShape(root, report);
  const declared = readDeclared(root);
  checkLabels(root, declared, report);
  checkTools(declared, report);
  checkServers(declared, report);
  checkRoles(root, declared, report);
  if (document === null || report.problems().length > 0) throw invalidPolicy(report);
  const policy = definePolicy(toDeclaration(document), { version: version ?? versionOf(written) });
  const absolute = resolve(file);
  const servers = toServers(document, absolute);
  return Object.freeze({
    file: absolute,
    policy,
    servers,
    warnings: warningsOf(file, { root, declared, policy }),
  });
}

function warningsOf(file: string, loaded: Loaded): readonly Warning[] {
  const report = createReport(file);
  warnAboutTools(loaded, report);
  warnAboutNames(loaded, report);
  return report.problems();
}
