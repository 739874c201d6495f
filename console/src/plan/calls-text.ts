/** A plan as it stands in the address: names with commas between them. */

const ESCAPED = /[%,]/g;
const ESCAPES = /%(2C|25)/gi;

/** The text of a plan. A comma or a percent sign inside a name is written by its code, so that it survives. */
export const writeCalls = (names: readonly string[]): string =>
  names.map((name) => name.replace(ESCAPED, encodeURIComponent)).join(",");

/** The names of a plan's text; a percent sign that stands for nothing is itself. */
export const readCalls = (text: string): readonly string[] =>
  text
    .split(",")
    .filter((part) => part !== "")
    .map((part) => part.replace(ESCAPES, (_, code: string) => (code === "25" ? "%" : ",")));
