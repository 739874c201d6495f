/** A session that exists only on paper, to play calls on, with the words of a user who exists there alone. */
import { createSecretKey, randomBytes } from "node:crypto";
import {
  apply,
  initialState,
  listNames,
  lookUp,
  nearMiss,
  type PlannedCall,
  type Policy,
  type SessionState,
} from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import { givenValues } from "../../runtime/endorsement/given-values.ts";
import { wordsSaid } from "../../runtime/endorsement/say.ts";
import { WordTokens } from "../../runtime/endorsement/words.ts";

// Nothing that is decided depends on when.
const NO_TIME = "";

interface PaperOptions {
  readonly role?: string | undefined;
  /** What the user asked for. */
  readonly task?: string | undefined;
}

type WholeCall = Exclude<PlannedCall, string>;

export interface PaperSession {
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
