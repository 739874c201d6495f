/** Holds what is to be written against the very check that reads it later. */

import { SluicegateError } from "../../errors/index.ts";
import { parseConfig } from "../../policy-file/index.ts";
import { problemsOf } from "../../policy-file/internal.ts";
import { classifyServer } from "../classify/classify-server.ts";
import { textsOf } from "../configurations/fill-server.ts";
import type { GatheredServer } from "../configurations/gather-servers.ts";
import { variablesIn } from "../configurations/variables.ts";
import { STAND_IN } from "../secrets/needed-variables.ts";
import { policyText } from "./policy-text.ts";

interface Selected {
  readonly servers: readonly GatheredServer[];
  /** About those that were left out. */
  readonly notes: readonly string[];
  /** What stands for a variable until it is filled in, where nothing at all would not do. */
  readonly standIns: ReadonlyMap<string, string>;
}

type Values = ReadonlyMap<string, string>;

/** Servers that a policy can have, and sentences about the others: a strange one costs nothing of the rest. */
export async function selectUsable(
  servers: readonly GatheredServer[],
  file: string,
  known: Values = new Map(),
): Promise<Selected> {
  const standIns = new Map<string, string>();
  const faultOf = async (server: GatheredServer, others: Values): Promise<string | null> => {
    const proposal = classifyServer({ transport: server.original, tools: null });
    const text = policyText([{ server, proposal, problem: null, wasAsked: false }], []);
    const unknown = openIn(server, known).map((name): [string, string] => [name, others.get(name) ?? ""]);
    return faultIn(text, file, new Map([...known, ...unknown]));
  };
  for (const server of servers) {
    const filled = new Map(openIn(server, known).map((name) => [name, STAND_IN]));
    if ((await faultOf(server, standIns)) === null || (await faultOf(server, filled)) !== null) continue;
    for (const [name, text] of filled) standIns.set(name, text);
  }
  const notes: string[] = [];
  const usable: GatheredServer[] = [];
  for (const server of servers) {
    const why = await faultOf(server, standIns);
    if (why === null) usable.push(server);
    else
      notes.push(
        `\`${server.names[0]}\` of \`${server.places[0]}\` was left out: no policy can have it. ${why}`,
      );
  }
  return { servers: usable, notes, standIns };
}

const openIn = (server: GatheredServer, known: Values): readonly string[] =>
  textsOf(server)
    .flatMap(variablesIn)
    .filter((name) => process.env[name] === undefined && !known.get(name));

/** INVARIANT: what is written passes `sluicegate check` at once. `values` are those of the env file. */
export async function assertUsable(text: string, file: string, values: Values): Promise<void> {
  const why = await faultIn(text, file, values);
  if (why === null) return;
  throw new SluicegateError("internal", "The proposed policy doesn't pass its own check.", {
    why,
    fix: "Report it with the configuration; nothing was written.",
  });
}

async function faultIn(text: string, file: string, values: Values): Promise<string | null> {
  try {
    await parseConfig(text, { file, environment: { ...Object.fromEntries(values), ...process.env } });
    return null;
  } catch (cause) {
    if (!SluicegateError.isInstance(cause)) throw cause;
    const [problem] = problemsOf(cause);
    return problem?.message ?? cause.message;
  }
}
