/** Which of a command's words name the program that is started in the end. */
import type { FoundTransport } from "../configurations/read-configuration.ts";

type Stdio = Extract<FoundTransport, { kind: "stdio" }>;

/** Programs that start the one that their arguments name. */
export const STARTERS =
  /^(?:npx|bunx|npm|pnpm|yarn|uvx|uv|pipx|docker|podman|node|deno|bun|python[\d.]*|ruby|perl|php|env|sudo|cmd|powershell|pwsh|(?:ba|z|da|k|fi)?sh)(?:\.exe|\.cmd)?$/i;
export const SUBCOMMANDS = /^(?:exec|dlx|tool|run|x|create)$/;

/** Those of them that start packages and nothing else. */
export const PACKAGE_STARTERS = /^(?:npx|bunx|npm|pnpm|yarn|uvx|uv|pipx)(?:\.exe|\.cmd)?$/i;

export const programName = ({ command }: Stdio): string => command.split(/[\\/]/).at(-1) ?? "";

/** Where among the arguments the program stands that is started; -1: it is the command. */
export function programIndex(transport: Stdio): number {
  const { args } = transport;
  if (!STARTERS.test(programName(transport))) return -1;
  const index = args.findIndex((arg) => !/^-|^\w+=/.test(arg) && !SUBCOMMANDS.test(arg));
  return index < 0 ? args.length : index;
}
