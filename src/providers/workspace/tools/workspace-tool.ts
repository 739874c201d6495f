/**
 * A tool of the workspace: a description, an examination without side effects, and an execution that acts on what was
 * examined. It ensures that nothing runs without an examination.
 */
import { type AskCause, PERMISSIONS, type Permission, toWorkspaceDeclaration } from "../../../core/index.ts";
import { SluicegateError } from "../../../errors/index.ts";
import {
  canonicalJson,
  type Examination,
  type JsonObject,
  type Target,
  type ToolResult,
} from "../../../runtime/index.ts";
import type { Place } from "../paths/canonical-path.ts";
import { type Parameters, readArguments, toInputSchema, type Values } from "./arguments.ts";

/** The result of an examination, and what the execution needs of it. */
export interface Found<State> {
  readonly asks: readonly AskCause[];
  readonly targets: readonly Target[];
  readonly isProtected?: true;
  readonly preview?: string;
  readonly state: State;
}

export interface ToolSpec<P extends Parameters, State> {
  readonly name: string;
  readonly description: string;
  readonly parameters: P;
  readonly examine: (place: Place, args: Values<P>, signal?: AbortSignal) => Promise<Found<State>>;
  readonly execute: (place: Place, state: State, signal?: AbortSignal) => Promise<ToolResult>;
}

/** A tool as a plain function, with its examination. */
export interface WorkspaceTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly permissions: readonly Permission[];
  /** It changes something or runs a program, and so always needs approval. */
  readonly alwaysAsks: boolean;
  /** Whether a call with these arguments needs approval. No side effects; never rejects: true in doubt. */
  needsApproval(args: unknown): Promise<boolean>;
  /**
   * What a call with these arguments would touch and why it needs approval. No side effects.
   * @throws SluicegateError `invalid-request` for wrong arguments.
   */
  examine(args: unknown, signal?: AbortSignal): Promise<Examination>;
  /**
   * Runs the tool on exactly what was examined. Passing an examination means that it was approved, and uses it up.
   * Without one, the call is examined here and runs only if it needs no approval.
   * @throws SluicegateError `invalid-request`, `approval-needed`, `forbidden` for a protected path, `target-changed`.
   */
  execute(args: unknown, examined?: Examination, signal?: AbortSignal): Promise<ToolResult>;
}

/** A tool without a workspace. */
export interface UnboundTool {
  readonly name: string;
  readonly bind: (place: Place) => WorkspaceTool;
}

export const toolOf = <P extends Parameters, State>(spec: ToolSpec<P, State>): UnboundTool => ({
  name: spec.name,
  bind: (place) => bind(spec, place),
});

function bind<P extends Parameters, State>(spec: ToolSpec<P, State>, place: Place): WorkspaceTool {
  const { permissions, alwaysAsks } = natureOf(spec.name);
  // INVARIANT: only an examination by exactly this tool counts, with the same arguments, once.
  const known = new WeakMap<object, { readonly args: string; readonly found: Found<State> }>();

  const examine = async (args: unknown, signal?: AbortSignal): Promise<Examination> => {
    const values = readArguments(spec.name, spec.parameters, args);
    const found = await spec.examine(place, values, signal);
    const checked = Object.freeze({});
    known.set(checked, { args: written(args), found });
    const { state: _, ...shown } = found;
    return Object.freeze({ ...shown, checked });
  };

  const approved = (args: unknown, { checked }: Examination): Found<State> => {
    const entry = typeof checked === "object" && checked !== null ? known.get(checked) : undefined;
    if (typeof checked === "object" && checked !== null) known.delete(checked);
    if (entry !== undefined && entry.args === written(args)) return entry.found;
    throw new SluicegateError("invalid-request", `\`${spec.name}\` was examined for another call.`, {
      why: "The examination isn't one by this tool for these arguments, or it was used already.",
      fix: "Examine the call with the same arguments, and run it with that examination.",
    });
  };

  return {
    name: spec.name,
    description: spec.description,
    inputSchema: toInputSchema(spec.parameters),
    permissions,
    alwaysAsks,
    examine,
    needsApproval: async (args) => {
      try {
        return alwaysAsks || asksFor(await examine(args));
      } catch {
        return true;
      }
    },
    execute: async (args, examined, signal) => {
      readArguments(spec.name, spec.parameters, args);
      const examination = examined ?? (await examine(args, signal));
      const found = approved(args, examination);
      if (found.isProtected) throw protectedPath(spec.name);
      if (examined === undefined && (alwaysAsks || asksFor(found)))
        throw approvalNeeded(spec.name, found.asks);
      return spec.execute(place, found.state, signal);
    },
  };
}

/** The same text for equal arguments; an undefined one counts as left out. */
const written = (args: unknown): string =>
  canonicalJson(Object.fromEntries(Object.entries(Object(args)).filter(([, value]) => value !== undefined)));

const asksFor = ({ asks, isProtected }: Pick<Examination, "asks" | "isProtected">): boolean =>
  asks.length > 0 || isProtected === true;

const DECLARED = new Map(Object.entries(toWorkspaceDeclaration().tools ?? {}));

/** As policies classify it; for an unknown tool the worst case is assumed. */
function natureOf(name: string): { permissions: readonly Permission[]; alwaysAsks: boolean } {
  const { permissions, approval } = DECLARED.get(name) ?? { permissions: PERMISSIONS, approval: "always" };
  return { permissions, alwaysAsks: approval !== undefined && approval !== "never" };
}

const protectedPath = (tool: string): SluicegateError =>
  new SluicegateError("forbidden", `\`${tool}\` may not touch this path.`, {
    why: "It controls what agents may do, such as the policy, a token or the journal.",
    fix: "Leave it to a person.",
  });

const approvalNeeded = (tool: string, asks: readonly AskCause[]): SluicegateError =>
  new SluicegateError("approval-needed", `\`${tool}\` needs a person's yes for this call.`, {
    why:
      asks.length === 0
        ? "It changes something, which always needs one."
        : `It asks because: ${asks.join(", ")}.`,
    fix: "Examine the call, ask a person, and run it with what was examined.",
    details: { asks },
  });
