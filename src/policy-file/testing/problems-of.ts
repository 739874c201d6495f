/** For the tests of this folder: what is said of a policy file's text, as lines. */
import { SluicegateError } from "../../errors/index.ts";
import type { Environment } from "../document/environment.ts";
import { formatProblem } from "../document/report.ts";
import { parseNow } from "./parse-now.ts";

/** The lines of the error that a text is refused with; none if it is sound. */
export function problemsOf(text: string, environment: Environment = {}): readonly string[] {
  try {
    parseNow(text, { file: "p.yaml", environment });
    return [];
  } catch (error) {
    if (SluicegateError.isInstance(error) && error.code === "policy-invalid")
      return error.message.split("\n");
    throw error;
  }
}

/** The warnings of a sound text. */
export const warningsOf = (text: string, environment: Environment = {}): readonly string[] =>
  parseNow(text, { file: "p.yaml", environment }).warnings.map(formatProblem);
