/** Variables in agents' configurations, put into a policy's notation: `${NAME}`, and `$${` for a plain `${`. */
import { basename, sep } from "node:path";
import type { ConfigurationFile } from "./configuration-files.ts";

/** What is known of variables, by name. */
export type VariableNotes = ReadonlyMap<string, string>;

interface Notation {
  readonly file: ConfigurationFile;
  /** The project's folder. */
  readonly folder: string | null;
  /** What VS Code asks for, by id. */
  readonly inputs: VariableNotes;
}

const PLACEHOLDER = /\$\{([^{}]*)\}|\$\{/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A text as a policy writes it. Variables that no policy has become what they stand for, or stay as they are written. */
export function toPolicyText(text: string, notation: Notation): string {
  // Claude Desktop takes everything as it is written.
  if (notation.file.agent === "Claude Desktop") return escapeText(text);
  return text.replace(PLACEHOLDER, (written: string, inner: string | undefined) =>
    inner === undefined ? escapeText(written) : (replacement(inner, notation) ?? escapeText(written)),
  );
}

/** A text in which `${` means itself. */
const escapeText = (text: string): string => text.replaceAll("${", () => "$${");

function replacement(inner: string, { file, folder }: Notation): string | null {
  const [, name = "", fallback] = /^([^:]*):-(.*)$/s.exec(inner) ?? [];
  if (fallback !== undefined && NAME.test(name))
    return process.env[name] === undefined ? escapeText(fallback) : variable(name);
  if (NAME.test(inner) && !KNOWN.has(inner)) return variable(inner);
  if (inner.startsWith("env:") && NAME.test(inner.slice(4))) return variable(inner.slice(4));
  if (inner.startsWith("input:")) return variable(inputName(inner.slice(6)));
  return placeOf(inner, file.home, folder);
}

// THREAT: the gateway's own secrets are called `SLUICEGATE_…`, and no configuration may ask for them.
const variable = (name: string): string | null => (name.startsWith("SLUICEGATE_") ? null : `\${${name}}`);

/** The variable for what VS Code asks for: `github-token` becomes `GITHUB_TOKEN`. */
export function inputName(id: string): string {
  const name = id
    .toUpperCase()
    .replaceAll(/[^A-Z0-9_]+/g, "_")
    .slice(0, 64);
  return /^[A-Z_]/.test(name) ? name : `INPUT_${name}`;
}

const KNOWN = new Set([
  "userHome",
  "workspaceFolder",
  "workspaceRoot",
  "workspaceFolderBasename",
  "pathSeparator",
]);

function placeOf(inner: string, home: string, folder: string | null): string | null {
  if (inner === "userHome") return escapeText(home);
  if (inner === "pathSeparator" || inner === "/") return sep;
  if (folder === null) return null;
  if (inner === "workspaceFolder" || inner === "workspaceRoot") return escapeText(folder);
  return inner === "workspaceFolderBasename" ? escapeText(basename(folder)) : null;
}

const OPENING = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

export const variablesIn = (text: string): readonly string[] =>
  [...text.matchAll(OPENING)].flatMap(([, name]) => (name === undefined ? [] : [name]));

/** A policy's text with its variables filled in; null if one is missing. */
export function fillText(text: string, values: ReadonlyMap<string, string>): string | null {
  if (variablesIn(text).some((name) => !values.has(name))) return null;
  return text.replace(OPENING, (written: string, name: string | undefined) =>
    name === undefined ? "${" : (values.get(name) ?? written),
  );
}
