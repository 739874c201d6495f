/** Changes code as a task says, and runs nothing. */
import { IMPLEMENTER_TOOLS } from "../../core/index.ts";
import { assertContext, toLines, toPrompt } from "./brief.ts";
import { type Brief, RoleAgent, type RoleRun } from "./role-agent.ts";
import type { RoleAgentOptions } from "./role-host.ts";
import { type RoleResult, toUnsuccessful, withRefusals } from "./role-result.ts";

/** All that an implementer needs. */
export interface ImplementerContext {
  /** What is to be built, in the user's words. */
  readonly task: string;
  /** How, where that was thought about already. */
  readonly plan?: string;
  /** How the project's code is written. */
  readonly conventions?: string;
  /** Files to begin with. */
  readonly files?: readonly string[];
}

const PURPOSE = `You implement a task in a project's code.

Read what is there before you change it, follow the project's conventions, and change no more than the task needs. Somebody else checks your work afterwards. When you are done, say in a few sentences what you changed and what is left.`;

/** An agent that implements a task. A success has changed at least one file. */
export class ImplementerAgent extends RoleAgent<ImplementerContext> {
  constructor(options: RoleAgentOptions) {
    super({ name: "implementer", set: IMPLEMENTER_TOOLS, purpose: PURPOSE, maxSteps: 60 }, options);
  }

  protected async brief(context: ImplementerContext): Promise<Brief> {
    assertContext(this.name, context, {
      task: "text",
      plan: "maybe-text",
      conventions: "maybe-text",
      files: "maybe-texts",
    });
    const { task, plan, conventions, files } = context;
    const prompt = toPrompt(
      ["Task", task],
      ["Plan", plan],
      ["Conventions", conventions],
      ["Files to begin with", toLines(files)],
    );
    return { prompt, words: task };
  }

  protected async conclude({ result }: RoleRun): Promise<RoleResult> {
    return changedSomething(result);
  }
}

/** The same, as no success where every file is as it was. */
export const changedSomething = (result: RoleResult): RoleResult =>
  result.success && result.filesModified.length === 0
    ? toUnsuccessful(
        result,
        withRefusals("The agent says that it is done, and no file is changed.", result.refused),
      )
    : result;
