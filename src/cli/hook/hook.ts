/** `sluicegate hook`: decides the calls that a coding agent runs itself, and sets that up. */
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import type { Command } from "commander";
import { SluicegateError } from "../../errors/index.ts";
import { DECISION_SECONDS } from "../../hooks/claude-code/hook-settings.ts";
import { loadConfig } from "../../policy-file/index.ts";
import { describeCommand } from "../terminal/command-help.ts";
import { inShell, ownCommand } from "../terminal/own-command.ts";
import { printJson, printLine } from "../terminal/terminal.ts";
import { STORE_OPTION } from "../wiring/store-file.ts";
import { type AgentHook, withHook, withoutHook } from "./agent-settings.ts";
import { readSettings, toWords } from "./read-settings.ts";

const AGENT = "claude-code";
const SETTINGS = ".claude/settings.json";

interface InstallOptions {
  readonly settings: string;
  readonly config: string;
  readonly store?: string;
  readonly role?: string;
  readonly unlisted?: string;
  readonly wait?: string;
  readonly json?: true;
}

/** Sets the command and those below it up. */
export function setUp(command: Command): void {
  command
    .description("Decides the calls that a coding agent runs itself, before each of them.")
    .usage("COMMAND [options]");
  setUpHook(command.command(AGENT));
  setUpInstall(command.command("install"));
  setUpRemove(command.command("remove"));
}

function setUpHook(command: Command): void {
  withHookOptions(
    describeCommand(command, {
      does: "Reads one event of Claude Code's hooks on standard input and answers it on standard output: whether a tool may run, or how it ended. Asks the gateway that runs on the store, and decides by itself where none does.",
      examples: [
        "sluicegate hook install claude-code",
        `echo '{"hook_event_name":"PreToolUse",…}' | sluicegate hook claude-code --config sluicegate.yaml`,
      ],
      exits: { 0: "it was answered; what can't be decided is answered by a no", 2: "nobody read the answer" },
      json: "has no effect here: the answer is JSON always",
    }).summary("answer one event of Claude Code's hooks"),
  ).option("--settings <file>", "the agent's settings that hold this command, which are kept from the agent");
}

function setUpInstall(command: Command): void {
  withHookOptions(
    describeCommand(command, {
      does: "Writes the hook into Claude Code's settings, before and after every tool. Everything else in the file stays as it is.",
      examples: [
        "sluicegate hook install claude-code",
        "sluicegate hook install claude-code --role reviewer --settings ~/.claude/settings.json",
      ],
      exits: {
        0: "the hook is set up",
        2: "wrong usage, a policy that can't be used, or settings that can't be changed",
      },
      json: "print { settings, changed, hook } as one JSON document",
    }).summary("write the hook into an agent's settings"),
  )
    .argument("<agent>", `the agent: ${AGENT}`)
    .option("--settings <file>", "the agent's settings", SETTINGS)
    .action(install);
}

function setUpRemove(command: Command): void {
  describeCommand(command, {
    does: "Takes the hook out of Claude Code's settings again, and nothing else.",
    examples: ["sluicegate hook remove claude-code"],
    exits: { 0: "the hook isn't there any more", 2: "wrong usage, or settings that can't be changed" },
    json: "print { settings, changed } as one JSON document",
  })
    .summary("take the hook out of an agent's settings")
    .argument("<agent>", `the agent: ${AGENT}`)
    .option("--settings <file>", "the agent's settings", SETTINGS)
    .action(remove);
}

const withHookOptions = (command: Command): Command =>
  command
    .option("--config <file>", "the policy file", "sluicegate.yaml")
    .option("--store <store>", STORE_OPTION)
    .option("--role <name>", "the role that the agent's conversations have")
    .option(
      "--unlisted <answer>",
      "what is said to tools that the policy doesn't name: policy (as it says of unclassified ones), defer or pass",
    )
    .option("--wait <seconds>", "how long a call that asks is held for a person, at most; 50 by default");

async function install(agent: string, options: InstallOptions): Promise<void> {
  assertAgent(agent);
  const file = resolve(options.settings);
  const hook = await toHook({ ...options, settings: file });
  const before = read(file);
  const after = withHook(before ?? "", hook);
  const changed = after !== before;
  if (changed) write(file, after);
  if (options.json) return printJson({ settings: file, changed, hook });
  printLine(changed ? `The hook is in ${file} now:` : `The hook is in ${file} already:`);
  printLine("  ", hook.command);
  printLine("It is asked before and after every tool, from the agent's next start on.");
  printLine("`sluicegate hook remove claude-code` takes it out again.");
}

function remove(agent: string, { settings, json }: Pick<InstallOptions, "settings" | "json">): void {
  assertAgent(agent);
  const file = resolve(settings);
  const before = read(file);
  const after = before === null ? null : withoutHook(before);
  const changed = after !== before;
  // A file of which nothing is left was made for the hook.
  if (changed && after?.trim() === "{}") rmSync(realpathSync(file));
  else if (changed && after !== null) write(file, after);
  if (json) printJson({ settings: file, changed });
  else printLine(changed ? `The hook is out of ${file}.` : `There is no hook in ${file}.`);
}

/** What is written into the settings: it means the same wherever the agent starts it. */
async function toHook({
  config,
  store,
  role,
  unlisted,
  wait,
  settings: file,
}: InstallOptions): Promise<AgentHook> {
  const given = {
    "--config": config,
    "--store": store,
    "--role": role,
    "--unlisted": unlisted,
    "--wait": wait,
    "--settings": file,
  };
  const words = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
  const settings = readSettings(words, process.cwd());
  if (typeof settings === "string") throw wrongOption(settings);
  const { policy } = await loadConfig(settings.config);
  if (role !== undefined && !policy.roles.has(role)) throw unknownRole(role, [...policy.roles.keys()]);
  const command = [...ownCommand(), "hook", AGENT, ...toWords(settings)].map(inShell).join(" ");
  // THREAT: for the agent only 2 is a no. A Node or a package that is gone ends with another status, which is a yes.
  return { command: `${command} || exit 2`, timeout: settings.waitSeconds + 2 * DECISION_SECONDS };
}

function read(file: string): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(file));
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return null;
    throw unusableFile(file, cause);
  }
}

/** Whole or not at all: half of its settings would be none to the agent, and so no hook. */
function write(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    const target = existsSync(file) ? realpathSync(file) : file;
    const draft = `${target}.sluicegate-${process.pid}`;
    const mode = statSync(target, { throwIfNoEntry: false })?.mode ?? 0o644;
    writeFileSync(draft, text, { mode: mode & 0o777, flag: "wx", flush: true });
    renameSync(draft, target);
  } catch (cause) {
    throw unusableFile(file, cause);
  }
}

function assertAgent(agent: string): void {
  if (agent === AGENT) return;
  throw new SluicegateError("usage", "There is no hook for this agent.", {
    why: `The one that is known is \`${AGENT}\`.`,
    fix: "Give other agents their tools through the gateway: see `sluicegate mcp --help`.",
  });
}

const wrongOption = (why: string): SluicegateError =>
  new SluicegateError("usage", "The hook can't be set up so.", {
    why,
    fix: "See `sluicegate hook install --help`.",
  });

const unknownRole = (role: string, known: readonly string[]): SluicegateError =>
  new SluicegateError("usage", "There is no such role.", {
    why: `The policy has ${known.length === 0 ? "no roles" : `the roles ${known.join(", ")}`}.`,
    fix: "Name one of them with `--role`, or leave it out.",
    details: { role, known },
  });

const unusableFile = (file: string, cause: unknown): SluicegateError =>
  new SluicegateError("usage", "The agent's settings can't be changed.", {
    why: `\`${file}\` can't be read as UTF-8 text or written (${cause instanceof Error && "code" in cause ? cause.code : "no text"}).`,
    fix: "See that its owner may write it, or name another file with `--settings`.",
    cause,
  });
