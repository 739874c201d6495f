/** The compiler of conditions. Its parser is loaded when the first policy with a condition is. */
import type { Environment } from "@marcbachmann/cel-js";
import { type CompiledCondition, compileCondition } from "./compile-condition.ts";
import type { KnownNames } from "./find-name-problems.ts";
import { OWN_FUNCTIONS } from "./functions.ts";

export type ConditionCompiler = (text: string, known: KnownNames) => CompiledCondition;

let environment: Promise<Environment> | undefined;

export async function loadConditionCompiler(): Promise<ConditionCompiler> {
  environment ??= createEnvironment();
  const loaded = await environment;
  return (text, known) => compileCondition(loaded, text, known);
}

async function createEnvironment(): Promise<Environment> {
  const cel = await import("@marcbachmann/cel-js");
  // What a field may be beforehand; `tool.server` and `session.role` may be null as well.
  const environment = new cel.Environment({ limits: { maxDepth: 60, maxAstNodes: 2000 } })
    .registerVariable("args", "map<string, dyn>")
    .registerVariable({
      name: "tool",
      schema: { name: "string", server: "dyn", tags: "list<string>", permissions: "list<string>" },
    })
    .registerVariable({
      name: "session",
      schema: {
        level: "string",
        categories: "list<string>",
        trust: "string",
        principal: "string",
        role: "dyn",
      },
    });
  // Conditions are evaluated by our own code; the parser needs their types alone.
  for (const signature of OWN_FUNCTIONS) environment.registerFunction(signature, () => false);
  return environment;
}
