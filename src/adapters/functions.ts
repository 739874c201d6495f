/** Plain functions behind a session, for agents without an SDK. */
import { SluicegateError } from "../errors/index.ts";
import { isJsonObject } from "../json/json-object.ts";
import { describeRefusal, type Outcome } from "../runtime/index.ts";
import {
  assertGuard,
  assertNames,
  callGuarded,
  type GuardedCall,
  type GuardOptions,
  type SessionSource,
  sessionOf,
} from "./guarded-call.ts";
import { streamGuarded } from "./stream-guarded.ts";

export type { SessionSource } from "./guarded-call.ts";

type AnyFunction = (...given: never[]) => unknown;

/**
 * The same function, which asks the gate first and so is asynchronous; a streaming one still streams. The type parameters
 * of a generic function become `unknown`: TypeScript can't carry them over.
 */
export type Guarded<Tool extends AnyFunction> = (
  ...given: Parameters<Tool>
) => ReturnType<Tool> extends AsyncGenerator ? ReturnType<Tool> : Promise<Awaited<ReturnType<Tool>>>;

/**
 * Puts functions behind a session, each under its key as the tool's name. A function with one plain object has that
 * as its arguments, any other has the list `arguments`. It runs on the copy that was decided on. Functions that
 * stream are recognised as `async function*`.
 * @throws SluicegateError from the functions: `permission-denied` for a refused call, `approval-needed` for one that
 *   waits for a person, with its approval in `details`. Called again after the approval, it runs.
 */
export function guard<Tools extends Readonly<Record<string, AnyFunction>>>(
  session: SessionSource,
  tools: Tools,
  options: Pick<GuardOptions, "waitSeconds"> = {},
): { readonly [Name in keyof Tools]: Guarded<Tools[Name]> } {
  assertGuard(session, options, ["waitSeconds"]);
  assertNames(session, Object.keys(tools));
  const guarded = Object.entries(tools).map(([name, tool]) => [
    name,
    guardFunction(session, name, tool, options),
  ]);
  // Each has its original parameters, and returns the same, asynchronously.
  return Object.fromEntries(guarded);
}

function guardFunction(
  session: SessionSource,
  name: string,
  tool: AnyFunction,
  { waitSeconds }: Pick<GuardOptions, "waitSeconds">,
): AnyFunction {
  const toCall = (given: readonly unknown[]): GuardedCall<unknown> => {
    const [only] = given;
    const isObject = given.length === 1 && isJsonObject(only);
    const run = (copy: unknown): unknown => {
      const args = isObject ? [copy] : (copy as { readonly arguments: readonly unknown[] }).arguments;
      return Reflect.apply(tool, undefined, args);
    };
    return { tool: name, input: isObject ? only : { arguments: given }, run, waitSeconds };
  };
  const streams = Object.prototype.toString.call(tool) === "[object AsyncGeneratorFunction]";
  const guarded = streams
    ? async function* (...given: readonly unknown[]) {
        resultOf(name, yield* streamGuarded(sessionOf(session), toCall(given)));
      }
    : async (...given: readonly unknown[]) =>
        resultOf(name, await callGuarded(sessionOf(session), toCall(given)));
  return Object.defineProperty(guarded, "name", { value: name, configurable: true });
}

function resultOf<Result>(tool: string, outcome: Outcome<Result>): Result {
  if (outcome.effect === "allow") return outcome.result;
  const { effect, class: refusal, reasons, approval } = outcome;
  const isAsk = effect === "ask";
  throw new SluicegateError(isAsk ? "approval-needed" : "permission-denied", describeRefusal(outcome), {
    why: isAsk
      ? "A person must approve this exact call first."
      : "The gate denied the call, and it was not run.",
    fix: isAsk ? "Make the same call again once it was approved." : "Tell the agent what the message says.",
    details: {
      tool,
      class: refusal ?? null,
      reasons: reasons.map(({ code }) => code),
      approval: approval?.id ?? null,
    },
  });
}
