import { guard } from "../../src/adapters/functions.ts";
import type { Adapter, AgentParts, SharedAgent } from "../cases/adapter-driver.ts";
import { playLoop } from "./scripted-loop.ts";

async function* streamOf(chunks: unknown): AsyncGenerator<unknown> {
  yield* chunks as AsyncIterable<unknown>;
}

function createAgent({ session, tools }: AgentParts): SharedAgent {
  const functions = Object.fromEntries(
    [...tools].map(([name, { run }]) => [
      name,
      // A function that streams is told by how it is written.
      name === "stream"
        ? async function* (args: unknown) {
            yield* streamOf(run(args));
          }
        : (args: unknown) => run(args),
    ]),
  );
  const guarded: Record<string, (args: unknown) => any> = guard(session, functions as any);
  const call = async ({ tool, args }: any): Promise<string> => {
    try {
      const run = guarded[tool];
      if (run === undefined)
        return `There is no tool \`${tool}\` in this session. Use a tool of the session's manifest.`;
      if (tool !== "stream") return String(await run(args));
      const chunks: unknown[] = [];
      for await (const chunk of run(args)) chunks.push(chunk);
      return chunks.join(", ");
    } catch (cause) {
      return (cause as Error).message;
    }
  };
  return { run: (script) => playLoop({ call }, script) };
}

export const functions: Adapter = {
  name: "plain functions",
  pauses: false,
  isHost: true,
  run: ({ script, ...parts }) => createAgent(parts).run(script),
  share: createAgent,
};
