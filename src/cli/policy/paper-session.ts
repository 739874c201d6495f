/**
 * A session that exists only on paper, to play calls on, with the words of a user who exists there alone; and what the
 * calls would bring in: the databases that they ask look at them. Nothing is run.
 */
import { createSecretKey, randomBytes } from "node:crypto";
import {
  apply,
  type Call,
  initialState,
  type KnownFacts,
  type Label,
  listNames,
  lookUp,
  nearMiss,
  type PlannedCall,
  type Policy,
  parseToolId,
  type SessionState,
} from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import type { Config } from "../../policy-file/index.ts";
import { givenValues } from "../../runtime/endorsement/given-values.ts";
import { wordsSaid } from "../../runtime/endorsement/say.ts";
import { WordTokens } from "../../runtime/endorsement/words.ts";
import type { ToolProvider } from "../../runtime/index.ts";
import { openConnectors } from "../wiring/open-connectors.ts";

// Nothing that is decided depends on when.
const NO_TIME = "";

interface PaperOptions {
  readonly role?: string | undefined;
  /** What the user asked for. */
  readonly task?: string | undefined;
}

type WholeCall = Exclude<PlannedCall, string>;

interface PaperSession {
  readonly state: SessionState;
  /** A call with the values of its arguments, as they are compared with the user's words. */
  readonly compared: <Planned extends WholeCall>(call: Planned) => Planned;
}

/**
 * A clean session, in a role or in none.
 * @throws SluicegateError `usage` for a role that the policy doesn't have.
 */
export function openOnPaper(policy: Policy, { role, task = "" }: PaperOptions): PaperSession {
  if (role !== undefined && !policy.roles.has(role)) throw unknownRole(policy, role);
  const opened = {
    kind: "session-opened",
    principal: "operator",
    role: role ?? null,
    tools: null,
    task: false,
  } as const;
  const tokens = new WordTokens(createSecretKey(randomBytes(32)));
  const said = wordsSaid(policy, tokens, task);
  return {
    state: [opened, ...said].reduce(
      (state, event) => apply(state, event, NO_TIME),
      initialState(policy.lattice),
    ),
    compared: (call) => {
      const { tool } = lookUp(policy, call.tool);
      const values = call.arguments && givenValues(policy, tool, { arguments: call.arguments }, tokens);
      return values ? { ...call, known: { ...call.known, values } } : call;
    },
  };
}

function unknownRole(policy: Policy, role: string): SluicegateError {
  const known = [...policy.roles.keys()];
  const near = nearMiss(role, known);
  return new SluicegateError("usage", `There is no role \`${role}\`.`, {
    why: known.length === 0 ? "The policy has no roles." : `The policy has the roles ${listNames(known)}.`,
    fix:
      near === undefined ? "Name a role of the policy, or leave `--role` out." : `Did you mean \`${near}\`?`,
  });
}

/** A call with what it was found to bring in, and what else is known of it; left out, it is taken at its worst. */
export type SourcedCall = Call & { readonly source?: Label; readonly known?: KnownFacts };

/** The same calls. One whose database can't be reached, or whose arguments aren't given, stays as it is. */
export async function withSources<Planned extends Call>(
  config: Config,
  calls: readonly Planned[],
): Promise<readonly (Planned & { readonly source?: Label })[]> {
  const asked = new Set(calls.flatMap((call) => databaseOf(config, call) ?? []));
  const databases = new Map([...config.databases].filter(([id]) => asked.has(id)));
  const providers = await openConnectors({ ...config, databases, apis: new Map() }, () => {});
  try {
    return await Promise.all(
      calls.map(async (call) => {
        const provider = providers.find(({ id }) => id === databaseOf(config, call));
        const source = provider && (await sourceOf(config, provider, call).catch(() => undefined));
        return source === undefined ? call : { ...call, source };
      }),
    );
  } finally {
    await Promise.all(providers.map((provider) => provider.close()));
  }
}

/** The database whose tool a call with arguments names; null where there is none, or nothing to find out. */
function databaseOf({ policy, databases }: Config, call: Call): string | null {
  if (call.arguments === undefined) return null;
  const { tool } = lookUp(policy, call.tool);
  const isOpen = tool?.sourceBound === "most" && tool.server !== null && databases.has(tool.server);
  return isOpen ? tool.server : null;
}

async function sourceOf({ policy }: Config, provider: ToolProvider, call: Call): Promise<Label | undefined> {
  await provider.settled;
  const { tool } = parseToolId(lookUp(policy, call.tool).tool?.id ?? "");
  return (await provider.examine?.(tool, call.arguments ?? {}))?.source;
}
