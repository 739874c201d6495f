/** A plan in the address: names separated by commas. */

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
