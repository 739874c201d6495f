/** The steps of a plan that a person arranges. A tool may occur several times, so each step has an id. */

export interface Step {
  readonly id: number;
  readonly tool: string;
}

/**
 * Steps in an order of names. The first step of a name gets its first position, and so on; names without a step get a
 * new one.
 */
export function arrange(steps: readonly Step[], names: readonly string[]): readonly Step[] {
  const left = Map.groupBy(steps, ({ tool }) => tool);
  let next = nextId(steps);
  return names.map((tool) => {
    const known = left.get(tool)?.shift();
    if (known) return known;
    next += 1;
    return { id: next - 1, tool };
  });
}

const nextId = (steps: readonly Step[]): number => steps.reduce((most, { id }) => Math.max(most, id), 0) + 1;

export const namesOf = (steps: readonly Step[]): readonly string[] => steps.map(({ tool }) => tool);

export const hasOrder = (steps: readonly Step[], names: readonly string[]): boolean =>
  steps.length === names.length && steps.every(({ tool }, at) => tool === names[at]);

/** A step's position, from 0; -1 if there is none. */
export const placeOf = (steps: readonly Step[], id: number): number =>
  steps.findIndex((step) => step.id === id);

/** The steps with one of them at another position, within the list. */
export function moveStep(steps: readonly Step[], id: number, to: number): readonly Step[] {
  const from = placeOf(steps, id);
  const place = Math.min(Math.max(0, to), steps.length - 1);
  const [step] = steps.slice(from, from + 1);
  if (from < 0 || step === undefined || from === place) return steps;
  return steps.toSpliced(from, 1).toSpliced(place, 0, step);
}

const ESCAPED = /[%,]/g;
const ESCAPES = /%(2C|25)/gi;

/** The text of a plan. Commas and percent signs in names are escaped. */
export const writeCalls = (names: readonly string[]): string =>
  names.map((name) => name.replace(ESCAPED, encodeURIComponent)).join(",");

/** The names in a plan's text; an invalid escape stands for itself. */
export const readCalls = (text: string): readonly string[] =>
  text
    .split(",")
    .filter((part) => part !== "")
    .map((part) => part.replace(ESCAPES, (_, code: string) => (code === "25" ? "%" : ",")));
