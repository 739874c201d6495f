/** The commands. Each is loaded only when it runs, or when its help is asked for. */
import type { Command } from "commander";

/** A command's module. */
interface CommandModule {
  /** Gives the command its arguments, options, help and action. */
  setUp(command: Command): void;
}

interface CommandEntry {
  readonly name: string;
  /** What it does, in a few words, for the list of commands. */
  readonly summary: string;
  readonly load: () => Promise<CommandModule>;
  /** Runs until a signal comes, and ends in its own way; a closed output is told to it as SIGTERM. */
  readonly lasting?: true;
}

/** In the order in which they are listed. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "init",
    summary: "propose a policy for the servers you have",
    load: () => import("./init/init.ts"),
  },
  {
    name: "serve",
    summary: "run the gateway on a port",
    lasting: true,
    load: () => import("./gateway/serve.ts"),
  },
  {
    name: "mcp",
    summary: "run the gateway over stdio",
    lasting: true,
    load: () => import("./gateway/mcp.ts"),
  },
  { name: "check", summary: "say what is wrong with a policy", load: () => import("./policy/check.ts") },
  { name: "classify", summary: "propose what a policy lacks", load: () => import("./policy/classify.ts") },
  {
    name: "explain",
    summary: "show how one call is decided, and why",
    load: () => import("./policy/explain.ts"),
  },
  { name: "plan", summary: "check a planned order of calls", load: () => import("./policy/plan.ts") },
  {
    name: "schema",
    summary: "print the policy's JSON Schema for editors",
    load: () => import("./policy/schema.ts"),
  },
  { name: "reload", summary: "put a changed policy in force", load: () => import("./policy/reload.ts") },
  { name: "tools", summary: "show and accept changed tools", load: () => import("./policy/tools.ts") },
  {
    name: "pending",
    summary: "show and answer the calls that wait for a person",
    load: () => import("./approvals/pending.ts"),
  },
  { name: "approve", summary: "say yes to a call that waits", load: () => import("./approvals/approve.ts") },
  { name: "deny", summary: "say no to a call that waits", load: () => import("./approvals/deny.ts") },
  { name: "freeze", summary: "stop calls at once", load: () => import("./freeze/freeze.ts") },
  { name: "unfreeze", summary: "let frozen calls go on", load: () => import("./freeze/unfreeze.ts") },
  {
    name: "sign-in",
    summary: "sign in to a server that asks for OAuth",
    load: () => import("./sign-in/sign-in.ts"),
  },
  { name: "sign-out", summary: "end a sign-in", load: () => import("./sign-in/sign-out.ts") },
  { name: "doctor", summary: "show by trying that it works here", load: () => import("./doctor/doctor.ts") },
  { name: "hook", summary: "decide what a coding agent runs itself", load: () => import("./hook/hook.ts") },
  {
    name: "journal",
    summary: "show, verify or export the record",
    load: () => import("./journal/journal.ts"),
  },
  { name: "archive", summary: "move old sessions into a file", load: () => import("./storage/archive.ts") },
  { name: "backup", summary: "copy the store while it is used", load: () => import("./storage/backup.ts") },
  { name: "restore", summary: "go back to a backup", load: () => import("./storage/restore.ts") },
];
