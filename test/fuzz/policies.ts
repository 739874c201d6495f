/**
 * Random policy files: valid ones, changed as trees and as text. The parser accepts one or refuses it with
 * `policy-invalid` and places in it, tells no secret, and allows nothing that the file doesn't name.
 */
import fc from "fast-check";
import { parse, stringify } from "yaml";
import { decide, initialState, type Policy, type SessionState } from "../../src/core/index.ts";
import { SluicegateError } from "../../src/errors/index.ts";
import { type Config, parseConfig } from "../../src/policy-file/index.ts";
import { EXAMPLE, VALID_POLICIES } from "../../src/policy-file/testing/valid-policies.ts";
import {
  anyTextChanges,
  anyTreeChanges,
  changeText,
  changeTree,
  type Tree,
  vocabularyOf,
} from "./mutations.ts";

const SECRET = "hunter2-of-the-environment";
const BITS = [
  ...[
    "$" + "{WEB_TOKEN}",
    "${",
    "}",
    "null",
    "*a",
    "&a ",
    "\t",
    "- ",
    ": ",
    "? ",
    "{",
    "[",
    "'",
    '"',
    "__proto__",
    "1",
  ],
  ...[
    "!x ",
    "!!binary ",
    "<<: ",
    "\n",
    "\n\n  ",
    "*",
    "|\n",
    ">-\n",
    "---\n",
    "%YAML 1.1\n",
    "# ",
    "\r",
    "\ufeff",
  ],
];
const TEXTS = [EXAMPLE, ...VALID_POLICIES.map(({ text }) => text)];
// As YAML reads them: plain data.
const TREES = TEXTS.map((text) => parse(text) as Tree);
const VOCABULARY = vocabularyOf(TREES);

const changed: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom(...TREES), anyTreeChanges, fc.boolean(), anyTextChanges(BITS))
  .map(([tree, changes, isFlow, edits]) =>
    changeText(write(changeTree(tree, changes, VOCABULARY), isFlow), edits),
  );

/** What can't be written as YAML is left as JSON, which YAML is meant to read too. */
function write(tree: Tree, isFlow: boolean): string {
  try {
    return isFlow ? JSON.stringify(tree) : stringify(tree, { aliasDuplicateObjects: false, lineWidth: 0 });
  } catch {
    return JSON.stringify(tree);
  }
}

/** The text of a policy file, or nearly. */
export const anyPolicyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: changed },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...TEXTS), anyTextChanges(BITS))
      .map(([text, edits]) => changeText(text, edits)),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 60 }) },
);

/** Parses a text and throws for what must not be; tells whether it was accepted. */
export async function checkPolicy(text: string): Promise<"accepted" | "refused"> {
  let config: Config;
  try {
    config = await parseConfig(text, { file: "p.yaml", environment: { WEB_TOKEN: SECRET, PORT: "5432" } });
  } catch (error) {
    if (!SluicegateError.isInstance(error) || error.code !== "policy-invalid") throw error;
    const { problems } = error.details;
    if (!Array.isArray(problems) || problems.length === 0)
      throw new Error("It was refused without a problem.");
    if (JSON.stringify([error.message, problems]).includes(SECRET))
      throw new Error("The refusal tells a secret.");
    return "refused";
  }
  assertNamed(parse(text, { maxAliasCount: -1 }), config.policy);
  return "accepted";
}

const GHOSTS = [
  "ghost",
  "delete_all",
  "mcp__ghost__x",
  "mcp__mail__x",
  "__proto__",
  "constructor",
  "valueOf",
  "",
];

/** As the file is read by itself: whatever is allowed stands in it, isn't denied there, and asks nobody. */
function assertNamed(document: unknown, policy: Policy): void {
  const own = toMap(toMap(document).get("tools"));
  const servers = toMap(toMap(document).get("servers"));
  const denied = toMap(toMap(document).get("policy")).get("denied_tools");
  const names = new Set([
    ...GHOSTS,
    ...own.keys(),
    ...[...servers].flatMap(([id, server]) =>
      [...toMap(toMap(server).get("tools")).keys()].map((tool) => `mcp__${id}__${tool}`),
    ),
  ]);
  const fresh = initialState(policy.lattice);
  const raised = raise(policy, fresh);
  for (const name of names) {
    const { effect, tool } = decide(policy, fresh, { tool: name });
    if (effect !== "allow") continue;
    const identity = tool?.id ?? "";
    const declared = declaredAs(identity, own, servers);
    if (declared === null) throw new Error(`${name} is allowed, and the file doesn't name it.`);
    const { approval, sink } = Object.fromEntries(declared);
    if (approval === "always") throw new Error(`${name} is allowed without asking.`);
    if (Array.isArray(denied) && denied.includes(identity))
      throw new Error(`${name} is allowed, and denied.`);
    if (sink !== policy.lattice.levels[0]) continue;
    if (decide(policy, raised, { tool: name }).effect === "allow") throw new Error(`${name} leaks.`);
  }
}

/** The same session with data of the highest level; closed where there is only one. */
const raise = ({ lattice: { levels } }: Policy, state: SessionState): SessionState => ({
  ...state,
  closed: levels.length < 2,
  label: { ...state.label, level: levels.at(-1) ?? "" },
});

/** What the file says of a tool: under its name, or under a pattern that its name may match. */
function declaredAs(
  identity: string,
  own: ReadonlyMap<string, unknown>,
  servers: ReadonlyMap<string, unknown>,
): ReadonlyMap<string, unknown> | null {
  const exact = own.get(identity);
  if (exact !== undefined) return toMap(exact);
  for (const [id, server] of servers) {
    const prefix = `mcp__${id}__`;
    if (!identity.startsWith(prefix)) continue;
    const tools = toMap(toMap(server).get("tools"));
    const tool = tools.get(identity.slice(prefix.length));
    if (tool !== undefined) return toMap(tool);
    if ([...tools.keys()].some((key) => key.includes("*"))) return new Map();
  }
  return [...own.keys()].some((key) => key.includes("*")) ? new Map() : null;
}

const toMap = (value: unknown): ReadonlyMap<string, unknown> =>
  new Map(typeof value === "object" && value !== null ? Object.entries(value) : []);
