/** What is known of a published server: where it comes from, and what each of its tools does. */
import type { Permission } from "../../core/index.ts";
import type { Proposal, Sensitivity } from "../classify/proposal.ts";

/** What a pack says of one tool. */
export interface Labels extends Omit<Proposal, "confidence" | "tags"> {
  /** What the server says of it that these labels account for; anything else that it says makes them stricter. */
  readonly expects?: readonly ("destructiveHint" | "openWorldHint")[];
}

export interface Pack {
  /** As people call the server. */
  readonly name: string;
  /** What its tools are tagged with. */
  readonly tag: string;
  /** Where it comes from: `npm:PACKAGE`, `pypi:PACKAGE`, `image:IMAGE`, `program:NAME`, `url:https://HOST/PATH`. */
  readonly origins: readonly string[];
  readonly tools: ReadonlyMap<string, Labels>;
  /** What it has to be started with; otherwise each of its calls asks. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** The same labels for several tools, whose names stand in one text. */
export const each = (names: string, labels: Labels): readonly (readonly [string, Labels])[] =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => [name, labels] as const);

export const definePack = (
  name: string,
  tag: string,
  origins: readonly string[],
  ...tools: readonly (readonly (readonly [string, Labels])[])[]
): Pack => Object.freeze({ name, tag, origins, tools: new Map(tools.flat()) });

interface Extras {
  readonly approval?: string;
}

function labels(
  permissions: readonly Permission[],
  source: Sensitivity | null,
  sink: Sensitivity | null,
  reason: string,
  { approval = "never" }: Extras = {},
): Labels {
  return Object.freeze({
    permissions: Object.freeze(permissions),
    // What comes through a tool, others may have written.
    source: source === null ? null : Object.freeze({ level: source, trust: "untrusted" as const }),
    sink,
    approval,
    // Data of another server may be what it needs: a person can tell.
    onViolation: "ask",
    reasons: Object.freeze([reason]),
  });
}

/** Works out what it is given, and nothing else. */
export const computes = (reason: string): Labels => labels(["read"], null, null, reason);

/** Reads on this machine; what it is asked stays there. */
export const readsHere = (source: Sensitivity, reason: string, extras?: Extras): Labels =>
  labels(["read"], source, null, reason, extras);

/** Changes something on this machine that is read again later: so nothing above that goes in. */
export const changesHere = (level: Sensitivity, reason: string, extras?: Extras): Labels =>
  labels(["read", "write"], level, level, reason, extras);

/** Runs any SQL at a database: its own programs, files and connections are within reach of a statement, so a person reads each. */
export const runsSql = (level: Sensitivity, reason: string): Labels =>
  labels(["read", "write", "connect"], level, level, reason, { approval: "always" });

/** Reads at a service that has this data already, and so may be asked with it. */
export const readsThere = (level: Sensitivity, reason: string): Labels =>
  labels(["read"], level, level, reason);

/** Searches what a service has of everybody: what it is asked with, the service sees. */
export const searches = (source: Sensitivity, reason: string): Labels =>
  labels(["read"], source, "public", reason);

/** Acts in a browser: it may receive what the browser's own pages bring in, and with more a person may let one call through. */
export const steersBrowser = (level: Sensitivity, reason: string, approval: string): Labels =>
  labels(["read", "write", "connect"], level, level, reason, { approval });

/** Asks any address, or gives a text to strangers: what it is asked with, they see. */
export const asksStrangers = (source: Sensitivity, reason: string, extras: Extras = {}): Labels =>
  labels(["read", "connect"], source, "public", reason, extras);

/** Writes where others may read it; with data above public, a person may let one call through. */
export const writesThere = (source: Sensitivity, reason: string, extras: Extras = {}): Labels =>
  labels(["read", "write", "connect"], source, "public", reason, extras);
