/** For the tests of this folder: a policy file's text at once, with what conditions need loaded beforehand. */
import { loadConditionCompiler } from "../conditions/compile-condition.ts";
import { type Config, type ParseOptions, readPolicyText, toConfig } from "../parse.ts";

const compile = await loadConditionCompiler();

export const parseNow = (text: string, options: ParseOptions): Config =>
  toConfig(readPolicyText(text, options), options, compile);
