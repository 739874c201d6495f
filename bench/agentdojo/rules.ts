/** The policies that are compared, each one rule for kinds of tools. No rule names a tool or a task. */
import {
  definePolicy,
  type Permission,
  type Policy,
  type PolicyDeclaration,
  type ToolDeclaration,
} from "../../src/core/index.ts";
import {
  classifyServer,
  PROPOSED_ENDORSEMENT as ENDORSEMENT,
  toProposedDeclaration,
} from "../../src/onboarding/index.ts";
import { parseConfig } from "../../src/policy-file/index.ts";
import { readKinds, type Suite, type ToolKind } from "./suites.ts";

/** One row of the table. */
export interface Rule {
  readonly name: string;
  toPolicy(suite: Suite): Promise<Policy>;
}

const kinds = readKinds();

const permissionsOf = ({ effect, sends }: ToolKind): readonly Permission[] =>
  sends !== "never" ? ["write", "connect"] : effect ? ["write"] : ["read"];

const sourceOf = ({ private: isPrivate, untrusted }: ToolKind): Pick<ToolDeclaration, "source"> => ({
  ...((isPrivate || untrusted) && {
    source: { ...(isPrivate && { level: "internal" }), ...(untrusted && { trust: "untrusted" }) },
  }),
});

/** The rule of a level alone: what sends data receives none of the user's own. */
const ratchet =
  (onViolation: "deny" | "ask") =>
  (kind: ToolKind): ToolDeclaration => ({
    permissions: permissionsOf(kind),
    ...sourceOf(kind),
    ...(kind.sends !== "never" && { sink: [{ level: "public" }], onViolation }),
  });

/** As the ratchet, and no effect follows a stranger's text unasked. */
const safe = (kind: ToolKind): ToolDeclaration => ({
  permissions: permissionsOf(kind),
  ...sourceOf(kind),
  ...(kind.effect && {
    sink: [{ level: kind.sends === "never" ? "secret" : "public", trust: "trusted" }],
    onViolation: "ask",
  }),
});

/** As the safe rule, where the user's words don't cover a call. */
const endorsable = (kind: ToolKind): ToolDeclaration => ({
  permissions: kind.sends === "to recipients" ? ["write"] : permissionsOf(kind),
  ...sourceOf(kind),
  ...(kind.sends === "always" && { sink: [{ level: "public" }] }),
  ...(kind.sends === "to recipients" && { to: kind.recipients }),
  ...(kind.effect && {
    onViolation: "ask",
    critical: kind.critical,
    payload: kind.payload,
    isDestructive: kind.destructive,
  }),
});

const PROVENANCE = ["own", "lookup", "own-ids"] as const;

const byKind = (
  name: string,
  declare: (kind: ToolKind) => ToolDeclaration,
  rest?: (suite: Suite) => PolicyDeclaration,
): Rule => ({
  name,
  toPolicy: async (suite) => {
    const tools = suite.tools.map(({ name }) => {
      const kind = kinds.get(name);
      if (kind === undefined) throw new Error(`Nothing says what kind of tool ${name} is.`);
      return [name, declare(kind)];
    });
    return definePolicy({
      ...rest?.(suite),
      servers: { [suite.name]: { tools: Object.fromEntries(tools) } },
    });
  },
});

/** Endorsement: no effect follows a stranger's text unasked but to what the user said, or to what is said here. */
const endorsed = (name: string, rest: PolicyDeclaration = {}): Rule =>
  byKind(name, endorsable, ({ members }) => ({
    endorsement: "strict",
    evidence: [],
    groups: { colleagues: { members } },
    ...rest,
  }));

/** Guessed from names, descriptions and schemas alone, as `sluicegate init` does for a server that it doesn't know. */
const proposed: Rule = {
  name: "what `sluicegate init` proposes",
  toPolicy: async (suite) => {
    const transport = { kind: "stdio", command: suite.name, args: [], env: {} } as const;
    const { tools } = classifyServer({ transport, tools: suite.tools });
    const known = [...tools].filter(([, { confidence }]) => confidence !== "unknown");
    const declared = known.map(([name, proposal]) => [name, toProposedDeclaration(proposal)]);
    const server = { command: suite.name, tools: Object.fromEntries(declared) };
    const written = { version: 1, ...ENDORSEMENT, servers: { [suite.name]: server } };
    // JSON is YAML.
    const config = await parseConfig(JSON.stringify(written), { file: "sluicegate.yaml", environment: {} });
    return config.policy;
  },
};

export const RULES: readonly Rule[] = [
  byKind("ratchet, `deny`", ratchet("deny")),
  byKind("ratchet, `on_violation: ask`", ratchet("ask")),
  byKind("sinks ask after private data, every effect asks after untrusted content", safe),
  endorsed("endorsement"),
  endorsed("… + named", { named: "internal" }),
  endorsed("… + own, lookup, own-ids", { named: "internal", evidence: PROVENANCE }),
  endorsed("… + member", { named: "internal", evidence: [...PROVENANCE, "member"] }),
  endorsed("… + resolved", { named: "internal", evidence: [...PROVENANCE, "member", "resolved"] }),
  proposed,
];
