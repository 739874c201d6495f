/** The policies that are compared, each one rule for kinds of tools. No rule names a tool or a task. */
import type { Policy } from "../../src/core/index.ts";
import { classifyServer, toProposedDeclaration } from "../../src/onboarding/index.ts";
import { parseConfig } from "../../src/policy-file/index.ts";
import { readKinds, type Suite, type ToolKind } from "./suites.ts";

/** One row of the table. */
export interface Rule {
  readonly name: string;
  toPolicy(suite: Suite): Promise<Policy>;
}

type Declaration = Readonly<Record<string, unknown>>;

const kinds = readKinds();

const permissionsOf = ({ effect, sends }: ToolKind): readonly string[] =>
  sends !== "never" ? ["write", "connect"] : effect ? ["write"] : ["read"];

const sourceOf = ({ private: isPrivate, untrusted }: ToolKind): Declaration => ({
  ...((isPrivate || untrusted) && {
    source: { ...(isPrivate && { level: "internal" }), ...(untrusted && { trust: "untrusted" }) },
  }),
});

/** The rule of a level alone: what sends data receives none of the user's own. */
const ratchet = (onViolation: "deny" | "ask") => (kind: ToolKind) => ({
  permissions: permissionsOf(kind),
  ...sourceOf(kind),
  ...(kind.sends !== "never" && { sink: "public", on_violation: onViolation }),
});

/** As the ratchet, and no effect follows a stranger's text unasked. */
const safe = (kind: ToolKind): Declaration => ({
  permissions: permissionsOf(kind),
  ...sourceOf(kind),
  ...(kind.effect && {
    sink: { level: kind.sends === "never" ? "secret" : "public", trust: "trusted" },
    on_violation: "ask",
  }),
});

const byKind = (name: string, declare: (kind: ToolKind) => Declaration): Rule => ({
  name,
  toPolicy: (suite) =>
    policyOf(
      suite,
      suite.tools.map((tool) => {
        const kind = kinds.get(tool.name);
        if (kind === undefined) throw new Error(`Nothing says what kind of tool ${tool.name} is.`);
        return [tool.name, declare(kind)];
      }),
    ),
});

/** Guessed from names, descriptions and schemas alone, as `sluicegate init` does for a server that it doesn't know. */
const proposed: Rule = {
  name: "what `sluicegate init` proposes",
  toPolicy: (suite) => {
    const transport = { kind: "stdio", command: suite.name, args: [], env: {} } as const;
    const { tools } = classifyServer({ transport, tools: suite.tools });
    const known = [...tools].filter(([, { confidence }]) => confidence !== "unknown");
    return policyOf(
      suite,
      known.map(([name, proposal]) => [name, toProposedDeclaration(proposal)]),
    );
  },
};

export const RULES: readonly Rule[] = [
  byKind("ratchet, `deny`", ratchet("deny")),
  byKind("ratchet, `on_violation: ask`", ratchet("ask")),
  byKind("sinks ask after private data, every effect asks after untrusted content", safe),
  proposed,
];

/** A policy as people write it: JSON is YAML. */
async function policyOf(
  suite: Suite,
  tools: readonly (readonly [name: string, Declaration])[],
): Promise<Policy> {
  const written = {
    version: 1,
    servers: { [suite.name]: { command: suite.name, tools: Object.fromEntries(tools) } },
  };
  const options = { file: `${suite.name}.yaml`, environment: {} };
  return (await parseConfig(JSON.stringify(written), options)).policy;
}
