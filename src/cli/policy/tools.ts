/** `sluicegate tools`: which tools are as they were accepted, what differs in the others, and to accept it. */
import { createInterface } from "node:readline/promises";
import type { Command } from "commander";
import { SluicegateError } from "../../errors/index.ts";
import type { toWireReview } from "../../gateway/rest/wire.ts";
import { describeCommand } from "../terminal/command-help.ts";
import {
  exitWithFailure,
  type Part,
  printError,
  printJson,
  printLine,
  printTable,
  shorten,
  styled,
} from "../terminal/terminal.ts";
import { findGateway, type GatewayClient, type Whereabouts } from "../wiring/gateway-client.ts";
import { STORE_OPTION } from "../wiring/store-file.ts";

interface ToolsOptions {
  readonly config: string;
  readonly store?: string;
  readonly url?: string;
  readonly hash?: string;
  readonly yes?: true;
  readonly json?: true;
}

export function setUp(command: Command): void {
  describeCommand(command, {
    does: "Lists the servers' tools, and whether each is described as it was accepted. One that isn't is withheld from every agent; its difference is shown. `accept` takes the new description, once you have looked at it.",
    examples: [
      "sluicegate tools",
      "sluicegate tools accept mcp__mail__send",
      "sluicegate tools accept send --yes --hash 3b7f…",
      "sluicegate tools --url http://127.0.0.1:7311 --json",
    ],
    exits: {
      0: "all are as they were accepted, or the one was accepted",
      1: "a tool is withheld since it has changed, or it was not accepted",
      2: "wrong usage, or a policy, a store or a gateway that can't be used",
    },
    json: "print { tools }, or the accepted tool, as one JSON document",
  })
    .argument("[accept]", "`accept`, to accept what is offered now")
    .argument("[name]", "the tool: its identity, or any name that means it alone")
    .option("--config <file>", "the policy file", "sluicegate.yaml")
    .option("--store <store>", STORE_OPTION)
    .option(
      "--url <url>",
      "the gateway; by default http://127.0.0.1:7311, or the policy's servers themselves",
    )
    .option("--hash <hash>", "accept only a definition with this hash")
    .option("--yes", "accept without being asked")
    .action(tools);
}

async function tools(
  action: string | undefined,
  name: string | undefined,
  options: ToolsOptions,
): Promise<void> {
  if (action !== undefined && (action !== "accept" || name === undefined)) throw misused();
  const source = await openSource(options);
  try {
    await (name === undefined ? list(source, options) : accept(source, name, options));
  } finally {
    await source.close();
  }
}

const misused = (): SluicegateError =>
  new SluicegateError("usage", "`sluicegate tools` doesn't understand this.", {
    why: "It lists when it is called alone; all else that it does is `accept` with the name of a tool.",
    fix: "See `sluicegate tools --help`.",
  });

async function list(source: ToolsSource, { json }: ToolsOptions): Promise<void> {
  const found = await source.review();
  const changed = found.filter(({ status }) => status === "changed");
  if (changed.length > 0) exitWithFailure();
  if (json) return printJson({ tools: found });
  printLine(styled("bold", "Tools"), ` at ${source.place}`);
  printTable(found.map(({ status, tool }) => [markOf(status), shorten(tool), NOTES[status]]));
  for (const { tool, doubt } of found) {
    if (doubt !== null) printLine(styled("yellow", "warning: "), `${shorten(tool)}: ${doubt}`);
  }
  for (const one of changed) {
    printLine();
    printDifference(one);
    printLine(
      "  Once you have looked at it: ",
      styled("bold", `sluicegate tools accept ${shorten(one.tool)}`),
    );
  }
}

const NOTES: Readonly<Record<WireReview["status"], string>> = {
  pinned: "",
  changed: "withheld",
  unclassified: "the policy says nothing of it",
  missing: "not offered now",
};

function markOf(status: WireReview["status"]): Part {
  if (status === "pinned") return styled("green", status);
  return status === "changed" ? styled("red", status) : styled("dim", status);
}

function printDifference({
  tool,
  difference,
  more_differences,
  problem,
  hash,
  offered_hash,
}: WireReview): void {
  printLine(styled("bold", shorten(tool)), " differs from the accepted definition:");
  if (problem !== null) printLine("  ", styled("yellow", problem));
  for (const { path, before, after } of difference) {
    printLine("  ", path === "" ? "the whole" : path);
    if (before !== null) printLine("    ", styled("red", `- ${before}`));
    if (after !== null) printLine("    ", styled("green", `+ ${after}`));
  }
  if (more_differences > 0) printLine("  ", styled("yellow", `and ${more_differences} more differences`));
  printLine(styled("dim", `  accepted ${hash ?? "never"}, offered ${offered_hash ?? "without a hash"}`));
}

async function accept(source: ToolsSource, name: string, options: ToolsOptions): Promise<void> {
  const found = find(await source.review(), name);
  const { tool, status, offered_hash: hash } = found;
  if (status !== "changed" && status !== "pinned") throw notOffered(tool);
  if (hash === null) throw notAcceptable(tool);
  if (options.hash !== undefined && options.hash !== hash) throw another(hash);
  if (status === "pinned") {
    if (options.json) printJson(found);
    else printLine(`${shorten(tool)} is as it was accepted.`);
    return;
  }
  if (!options.json) printDifference(found);
  if (!(await confirm(options))) {
    exitWithFailure();
    printLine(styled("red", "not accepted"), ": it stays withheld.");
    return;
  }
  const accepted = await source.accept(tool, hash);
  if (options.json) printJson(accepted);
  else printLine(styled("green", "accepted"), `: every session has ${shorten(tool)} again.`);
}

/** The tool that a name means: its identity, `server__tool`, or its own name where only one has that. */
function find(reviews: readonly WireReview[], name: string): WireReview {
  const found = reviews.filter((one) => [one.tool, `${one.server}__${one.name}`, one.name].includes(name));
  const [only] = found;
  if (found.length === 1 && only) return only;
  const meant = found.map(({ tool }) => `\`${tool}\``).join(", ");
  throw new SluicegateError("not-found", `\`${name}\` means no tool, or several.`, {
    why: found.length > 1 ? `It could mean ${meant}.` : "No server offers a tool of that name.",
    fix: "Name it by its identity; `sluicegate tools` lists them.",
  });
}

/** Whether the person at the terminal says yes; `--yes` has said so already. */
async function confirm({ yes, json }: ToolsOptions): Promise<boolean> {
  if (yes) return true;
  if (json || !process.stdin.isTTY || !process.stdout.isTTY) throw nobodyToAsk();
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question("Accept it as it is offered now? [y/N] ");
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

const nobodyToAsk = (): SluicegateError =>
  new SluicegateError("usage", "This is not a terminal, so nobody can be asked.", {
    why: "The difference must be looked at by a person, and this is no terminal.",
    fix: "Look at `sluicegate tools`, then give `--yes` and the `--hash` that you looked at.",
  });

const notOffered = (tool: string): SluicegateError =>
  new SluicegateError("not-found", `\`${tool}\` can't be accepted now.`, {
    why: "Its server doesn't offer it, or the policy says nothing of it.",
    fix: "Start its server, or declare what the tool does in the policy.",
  });

const notAcceptable = (tool: string): SluicegateError =>
  new SluicegateError("unsupported-value", `The definition of \`${tool}\` can't be accepted.`, {
    why: "It holds something that JSON can't carry exactly, so no hash can stand for it.",
    fix: "Have the server's author fix it; the tool is withheld until then.",
  });

const another = (hash: string): SluicegateError =>
  new SluicegateError("definition-stale", "The tool's definition is not the one with this hash.", {
    why: `What its server offers now has the hash ${hash}.`,
    fix: "Look at the difference again, and accept that hash if it is what you want.",
  });

/** A tool as REST tells about it. */
export type WireReview = ReturnType<typeof toWireReview>;

export interface ToolsSource {
  /** As in "tools at …". */
  readonly place: string;
  review(): Promise<readonly WireReview[]>;
  accept(tool: string, hash: string): Promise<WireReview>;
  close(): Promise<void>;
}

/**
 * Where the tools' definitions are examined: at a gateway that runs, or, where none does, by starting the policy's
 * servers for this one look, as `serve` would.
 */
async function openSource(options: Whereabouts): Promise<ToolsSource> {
  const client = await findGateway(options);
  return client === null ? startOwn(options) : overRest(client);
}

async function overRest(client: GatewayClient): Promise<ToolsSource> {
  const { toolReview, toolReviews } = await import("../../gateway/rest/schemas.ts");
  const readAll = (answer: unknown) => toolReviews.safeParse(answer).data?.tools ?? null;
  const readOne = (answer: unknown) => toolReview.safeParse(answer).data ?? null;
  return {
    place: client.url,
    review: () => client.ask("/v1/tools", readAll),
    accept: (tool, hash) => client.ask("/v1/tools/accept", readOne, { tool, hash }),
    close: async () => {},
  };
}

async function startOwn({ config, store }: Whereabouts): Promise<ToolsSource> {
  const log = (line: string): void => printError(styled("dim", line));
  const [{ runGateway }, { toWireReview }] = await Promise.all([
    import("../wiring/run-gateway.ts"),
    import("../../gateway/rest/wire.ts"),
  ]);
  const { gateway, config: loaded } = await runGateway({ config, store, log });
  await gateway.catalog.settled;
  for (const { id, status, problem } of gateway.catalog.providers) {
    if (status !== "ready") log(`${id} is not running: ${problem ?? status}`);
  }
  return {
    place: loaded.file,
    review: async () => (await gateway.catalog.review()).map(toWireReview),
    accept: async (tool, hash) => toWireReview(await gateway.catalog.accept(tool, hash)),
    close: () => gateway.close(),
  };
}
