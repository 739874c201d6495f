/** Holds what is to be written against the very check that reads it later. */
import { classifyServer } from "../../classify/index.ts";
import { parseConfig } from "../../config/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import { problemsOf } from "../problems.ts";
import type { GatheredServer } from "./gather-servers.ts";
import { policyText } from "./policy-text.ts";
import { textsOf } from "./start-servers.ts";
import { variablesIn } from "./variables.ts";

/** Servers that a policy can have, and sentences about the others: a strange one costs nothing of the rest. */
export async function selectUsable(
  servers: readonly GatheredServer[],
  file: string,
): Promise<{ readonly servers: readonly GatheredServer[]; readonly notes: readonly string[] }> {
  const notes: string[] = [];
  const usable: GatheredServer[] = [];
  for (const server of servers) {
    const proposal = classifyServer({ transport: server.transport, tools: null });
    const text = policyText([{ server, proposal, problem: null, wasAsked: false }], []);
    const why = await faultIn(text, file, textsOf(server).flatMap(variablesIn));
    if (why === null) usable.push(server);
    else
      notes.push(
        `\`${server.names[0]}\` of \`${server.places[0]}\` was left out: no policy can have it. ${why}`,
      );
  }
  return { servers: usable, notes };
}

/** INVARIANT: what is written passes `sluicegate check` once its variables are set. */
export async function assertUsable(text: string, file: string, variables: readonly string[]): Promise<void> {
  const why = await faultIn(text, file, variables);
  if (why === null) return;
  throw new SluicegateError("internal", "The proposed policy doesn't pass its own check.", {
    why,
    fix: "Report it with the configuration; nothing was written.",
  });
}

async function faultIn(text: string, file: string, variables: readonly string[]): Promise<string | null> {
  const set = Object.fromEntries(variables.map((name) => [name, PLACEHOLDER]));
  try {
    await parseConfig(text, { file, environment: { ...process.env, ...set } });
    return null;
  } catch (cause) {
    if (!SluicegateError.isInstance(cause)) throw cause;
    const [problem] = problemsOf(cause);
    return problem?.message ?? cause.message;
  }
}

/** Fits in an address, a header and an argument. */
const PLACEHOLDER = "https://placeholder.invalid";
