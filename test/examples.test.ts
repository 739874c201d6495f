/** Runs the examples: each ends well, having found what it expects. */
import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { GUIDES, PATTERNS, PROGRAMS } from "./example-programs.ts";

const ROOT = resolve(import.meta.dirname, "..");

describe("the examples", () => {
  const lastWords = async (program: string): Promise<string> => {
    const { stdout } = await promisify(execFile)(process.execPath, [resolve(ROOT, program)]);
    return stdout.trimEnd();
  };

  it.each(
    PROGRAMS.filter((program) => ![...PATTERNS, ...GUIDES].includes(program)),
  )("%s runs and finds what it expects", async (program) => {
    expect(await lastWords(program)).toMatch(/ok$/);
  });

  it.each(GUIDES)("%s, a hands-on guide, runs and finds what it expects (A9)", async (program) => {
    expect(await lastWords(program)).toMatch(/ok$/);
  });

  it.each(PATTERNS)("%s, a way to use a planner, runs and finds what it expects (B9)", async (program) => {
    expect(await lastWords(program)).toMatch(/ok$/);
  });
});
