/** `sluicegate sign-out SERVER`: ends a sign-in. */
import type { Command } from "commander";
import { addWhereabouts } from "../approvals/pending.ts";
import { describeCommand } from "../terminal/command-help.ts";
import { printJson, printLine, styled } from "../terminal/terminal.ts";
import { findRunningGateway, type Whereabouts } from "../wiring/gateway-client.ts";
import { pathOf } from "./sign-in.ts";

export function setUp(command: Command): void {
  const described = describeCommand(command, {
    does: "Signs out of a server that asks for OAuth: the gateway deletes the tokens, and has them revoked where the server's authorization server can.",
    examples: ["sluicegate sign-out mail"],
    exits: { 0: "signed out, or nobody was signed in", 2: "wrong usage, or no gateway" },
    json: "print { signed_out, revoked } as one JSON document",
  });
  addWhereabouts(described).argument("<server>", "the server's name in the policy").action(run);
}

async function run(
  server: string,
  { json, ...where }: Whereabouts & { readonly json?: true },
): Promise<void> {
  const client = await findRunningGateway(where);
  const { signedOut } = await import("../../gateway/rest/sign-in-routes.ts");
  const ended = await client.delete(pathOf(server), (answer) => signedOut.safeParse(answer).data ?? null);
  if (json) return printJson(ended);
  if (!ended.signed_out) return printLine("Nobody was signed in.");
  const how = ended.revoked ? "" : "; its authorization server did not take the tokens back";
  printLine(styled("green", "signed out"), ` of ${server}${how}`);
}
