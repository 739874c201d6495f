/** Which of a command's words name the program that is started in the end, and which tell a secret. */
import type { FoundTransport } from "../configurations/read-configuration.ts";

type Stdio = Extract<FoundTransport, { kind: "stdio" }>;

/** Programs that start the one that their arguments name. */
export const STARTERS =
  /^(?:npx|bunx|npm|pnpm|yarn|uvx|uv|pipx|docker|podman|node|deno|bun|python[\d.]*|ruby|perl|php|env|sudo|cmd|powershell|pwsh|(?:ba|z|da|k|fi)?sh)(?:\.exe|\.cmd)?$/i;
const SUBCOMMANDS = /^(?:exec|dlx|tool|run|x|create)$/;
/** Those of them that start packages and nothing else. */
const PACKAGE_STARTERS = /^(?:npx|bunx|npm|pnpm|yarn|uvx|uv|pipx)(?:\.exe|\.cmd)?$/i;

const programName = ({ command }: Stdio): string => command.split(/[\\/]/).at(-1) ?? "";

export const startsPackage = (transport: Stdio): boolean => PACKAGE_STARTERS.test(programName(transport));

const IMAGE_STARTERS = /^(?:docker|podman)(?:\.exe)?$/i;
const VALUED_BY_IMAGE =
  /^(?:-[evpuwl]|--(?:env|volume|mount|name|network|publish|user|workdir|label|entrypoint))$/;

/** Whether what follows this option says how an image is started, and what of this machine it sees. */
export const isImageOption = (transport: Stdio, option: string): boolean =>
  IMAGE_STARTERS.test(programName(transport)) && /^(?:-v|--volume|--mount|--name|--network)$/.test(option);

/** Where among the arguments the program stands that is started; -1: it is the command. */
export function programIndex(transport: Stdio): number {
  const { args } = transport;
  if (!STARTERS.test(programName(transport))) return -1;
  const isImage = IMAGE_STARTERS.test(programName(transport));
  const isProgram = (arg: string, index: number): boolean =>
    !/^-|^\w+=/.test(arg) &&
    !SUBCOMMANDS.test(arg) &&
    !(isImage && VALUED_BY_IMAGE.test(args[index - 1] ?? ""));
  const index = args.findIndex(isProgram);
  return index < 0 ? args.length : index;
}

/** A name of something that is kept secret, whatever stands around it. */
export const SECRET_NAME =
  /key|token|secret|(?<!com|by)pass|pwd|login|(?:^|[_-])(?:pw|pat|access|user|basic)$|mnemonic|seed[_-]?phrase|pin$|code$|otp|auth|cred|cookie|session|dsn|connection|conn_?str|webhook|private|signature|salt|bearer|license|psk|jwt/i;
