/**
 * Fills in `${NAME}` in the values of a document; `$${` stands for a plain `${`. Keys are left alone.
 * THREAT: a variable's value is often a secret, so it goes into the document and into no message.
 */
import { quote } from "./quote.ts";
import type { Report } from "./report.ts";
import type { ScalarTree, Tree } from "./tree.ts";

/** Variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

const OPENING = /\$\$\{|\$\{(?:([A-Za-z_][A-Za-z0-9_]*)\})?/g;

/** The same document with its variables filled in; each that can't be is reported at its value. */
export function fillIn(tree: Tree, environment: Environment, report: Report): Tree {
  const filled = new Map<Tree, Tree>();
  const visit = (part: Tree): Tree => {
    const known = filled.get(part);
    if (known !== undefined) return known;
    const result = visitNew(part);
    filled.set(part, result);
    return result;
  };
  const visitNew = (part: Tree): Tree => {
    if (part.kind === "scalar") return fillInScalar(part, environment, report);
    if (part.kind === "list") return { ...part, items: part.items.map(visit) };
    const entries = new Map(
      [...part.entries].map(([key, entry]) => [key, { ...entry, value: visit(entry.value) }]),
    );
    return { ...part, entries };
  };
  return visit(tree);
}

function fillInScalar(scalar: ScalarTree, environment: Environment, report: Report): ScalarTree {
  const { value, at } = scalar;
  if (typeof value !== "string" || !value.includes("${")) return scalar;
  let unresolved = false;
  const filled = value.replace(OPENING, (opening: string, name: string | undefined) => {
    if (opening === "$${") return "${";
    const found = name !== undefined && Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (found !== undefined) return found;
    unresolved = true;
    if (name === undefined) report.add(at, ...MALFORMED);
    else report.add(at, `The variable ${quote(name)} is not set.`, NOT_SET);
    return opening;
  });
  return { ...scalar, value: filled, inset: null, unresolved };
}

const NOT_SET = "Set it in the environment of this command, or in the env file beside the policy.";

const MALFORMED = [
  `A \`\${\` is not followed by the name of a variable and \`}\`.`,
  `Write it as \`\${NAME}\`, or \`$\${\` for a plain \`\${\`.`,
] as const;
