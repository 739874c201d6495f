/** A small loop of our own around tools that can be listed and called, with a model that plays a script. */
import type { Played, Script, ScriptedCall } from "../cases/adapter-driver.ts";

export interface Callable {
  /** What the model is shown at a step; left out where a model is shown nothing. */
  readonly list?: () => Promise<Readonly<Record<string, string>>>;
  /** What the model is told of a call. */
  call(call: ScriptedCall): Promise<string>;
}

/** Makes the calls of each step at once; made again, a call that waited for a person is the same call. */
export async function playLoop({ list, call }: Callable, script: Script): Promise<Played> {
  const described: Readonly<Record<string, string>>[] = [];
  const told: Record<string, string> = {};
  const waiting: Record<string, string> = {};
  const make = async (one: ScriptedCall): Promise<void> => {
    const text = await call(one);
    told[one.id] = text;
    const [approval] = text.match(/\bappr_[0-9a-f]{32}\b/) ?? [];
    if (approval !== undefined) waiting[one.id] = approval;
  };
  for (const [index, step] of script.entries()) {
    if (list) described.push(await list());
    await Promise.all(step.map(make));
    const stopped = step.filter(({ id }) => id in waiting);
    if (stopped.length === 0) continue;
    const rest = script.slice(index + 1);
    const resume = (_: boolean, forged?: ScriptedCall["args"]): Promise<Played> =>
      playLoop({ ...(list && { list }), call }, [
        stopped.map((one) => ({ ...one, args: forged ?? one.args })),
        ...rest,
      ]);
    return { shown: described.map((one) => Object.keys(one)), described, told, waiting, resume };
  }
  const resume = (): Promise<Played> => Promise.reject(new Error("Nothing waits."));
  return { shown: described.map((one) => Object.keys(one)), described, told, waiting, resume };
}
