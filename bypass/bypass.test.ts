/**
 * The suite of bypasses against this project's gateway, where everything must hold, and against a bare pass-through,
 * where it must find what is listed here: a suite that finds nothing proves nothing.
 */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ALL_CHECKS } from "./checks/all.ts";
import { API_CHECKS } from "./checks/apis.ts";
import { CODING_AGENT_CHECKS } from "./checks/coding-agent.ts";
import { DATABASE_CHECKS } from "./checks/databases.ts";
import { SWITCHED_CHECKS } from "./checks/switched.ts";

interface Found {
  readonly id: string;
  readonly verdict: string;
  readonly detail: string;
}

interface Ran {
  readonly status: number;
  readonly found: readonly Found[];
  readonly errors: string;
}

const RUN = join(import.meta.dirname, "run.ts");

function runSuite(...args: string[]): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(process.execPath, [RUN, "--json", ...args], { maxBuffer: 2 ** 24 }, (error, stdout, stderr) => {
      const status = typeof error?.code === "number" ? error.code : 0;
      resolve({ status, found: stdout === "" ? [] : JSON.parse(stdout), errors: stderr });
    });
  });
}

const idsOf = (found: readonly Found[], verdict: string): readonly string[] =>
  found.filter((one) => one.verdict === verdict).map(({ id }) => id);

const MINUTES = 60_000;
/** How long it takes is no promise: a machine that is busy with something else takes three times as long. */
const LONGEST = 20 * MINUTES;

/** What this gateway doesn't have, so that it can't be bypassed. Anything else must be there to be attacked. */
const NOT_OFFERED: readonly string[] = [
  "in-subscription",
  "in-resource-list",
  "in-template-list",
  "in-prompt-list",
  "out-unsubscription",
  "out-cursor",
  "out-client-name",
  "out-cancellation",
  "out-unasked-answer",
];

/** An older server keeps the roots that it is told, so it is told no session's. */
const NOT_OFFERED_OF_OLDER: readonly string[] = ["out-roots-answer"];

/** What a pass-through lets through only where the servers behind it speak an older revision. */
const PASSED_THROUGH_TO_OLDER: readonly string[] = [
  "in-subscription",
  "out-subscription",
  "out-cancellation",
];

/** A pass-through holds what the official SDK holds by itself, and has no sessions to attack. */
const PASSED_THROUGH: readonly string[] = [
  "in-tool",
  "in-resource",
  "in-resource-template",
  "in-resource-list",
  "in-template-list",
  "in-prompt",
  "in-prompt-list",
  "in-completion",
  "in-template-completion",
  "in-notices",
  "in-error",
  "in-elicitation",
  "in-sampling",
  "in-whatever-is-listed",
  "in-tool-spellings",
  "in-resource-spellings",
  "out-tool",
  "out-spellings",
  "out-resource",
  "out-prompt",
  "out-completion",
  "out-template-completion",
  "out-elicitation-answer",
  "out-sampling-answer",
  "out-roots-answer",
  "out-unasked-answer",
  "hidden-denied",
  "session-no-token",
  "header-origin",
  "body-arguments",
  "body-duplicate-keys",
  "body-encodings",
  "body-extremes",
  "parallel-in-flight",
  "parallel-resource",
  "parallel-crowd",
  "parallel-batch",
  "parallel-cancelled",
  "state-foreign",
  "state-replayed",
  "approval-unasked",
  "method-unannounced",
  "load-values-in",
  "load-values-out",
  "load-unread",
  "changed-definition",
  "changed-after-yes",
  "collision-look-alikes",
  ...SWITCHED_CHECKS.map(({ id }) => id),
  "told-prompt-names",
  "told-error-code",
  "header-decoy",
  "header-batch",
  "header-charset",
  "header-encoding",
  "silence-own-accept",
  "silence-own-decline",
  "silence-own-cancel",
  "silence-own-error",
  "silence-own-hang-up",
  ...DATABASE_CHECKS.map(({ id }) => id),
  ...API_CHECKS.map(({ id }) => id),
  ...CODING_AGENT_CHECKS.map(({ id }) => id),
];

/** What doesn't depend on the revision that MCP servers speak: databases, APIs and coding agents are none. */
const WITHOUT_SERVERS: ReadonlySet<string> = new Set(
  [...DATABASE_CHECKS, ...API_CHECKS, ...CODING_AGENT_CHECKS].map(({ id }) => id),
);
const WITH_SERVERS: readonly string[] = ALL_CHECKS.map(({ id }) => id).filter(
  (id) => !WITHOUT_SERVERS.has(id),
);

const only = (ids: readonly string[]): readonly string[] => ids.flatMap((id) => ["--only", id]);

describe("the suite of bypasses", () => {
  it("tells of each check in its page, with what comes out here", () => {
    const page = readFileSync(join(import.meta.dirname, "../docs/bypass.md"), "utf8");
    const rows = [...page.matchAll(/^\| `([\w-]+)` \| .* \| ([^|]+) \| ([^|]+) \|$/gm)].map(
      ([, id = "", without = "", here = ""]) => ({ id, without, here }),
    );
    expect(rows.map(({ id }) => id).toSorted()).toEqual(ALL_CHECKS.map(({ id }) => id).toSorted());
    const passed = rows.filter(({ without }) => without === "**bypassed**").map(({ id }) => id);
    expect(passed.toSorted()).toEqual([...PASSED_THROUGH, ...PASSED_THROUGH_TO_OLDER].toSorted());
    expect(page).toContain(`bypassed in ${passed.length} of ${rows.length} checks`);
    const absent = rows.filter(({ here }) => here !== "held");
    expect(absent.map(({ here }) => here)).toEqual(NOT_OFFERED.map(() => "not offered"));
    expect(absent.map(({ id }) => id).toSorted()).toEqual(NOT_OFFERED.toSorted());
  });

  it("has a name of its own for each check", () => {
    const ids = ALL_CHECKS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  describe("with servers of its own", () => {
    it.each([
      { servers: "both eras", args: [], absent: NOT_OFFERED },
      {
        servers: "2025-11-25 alone",
        args: ["--older-servers", ...only(WITH_SERVERS)],
        absent: [...NOT_OFFERED, ...NOT_OFFERED_OF_OLDER],
      },
    ])(
      "finds no way around this gateway, with servers that speak $servers (X14)",
      async ({ args, absent }) => {
        const { status, found, errors } = await runSuite(...args);
        const open = found.filter(({ verdict }) => verdict !== "held" && verdict !== "not-applicable");
        expect({ open, errors }).toEqual({ open: [], errors: "" });
        expect(status).toBe(0);
        expect(idsOf(found, "not-applicable").filter((id) => !absent.includes(id))).toEqual([]);
      },
      LONGEST,
    );

    it(
      "finds what a pass-through lets through",
      async () => {
        const { status, found } = await runSuite("--pass-through");
        expect(idsOf(found, "bypassed").toSorted()).toEqual(PASSED_THROUGH.toSorted());
        expect(idsOf(found, "undecided")).toEqual([]);
        expect(status).toBe(1);
      },
      LONGEST,
    );
  });

  it("finds what a pass-through lets through to older servers alone", async () => {
    const { found } = await runSuite("--pass-through", "--older-servers", ...only(PASSED_THROUGH_TO_OLDER));
    expect(idsOf(found, "bypassed").toSorted()).toEqual(PASSED_THROUGH_TO_OLDER.toSorted());
  });

  it("says what is wrong with its command line, and runs nothing", async () => {
    for (const args of [
      ["not-a-url"],
      ["--only", "no-such-check"],
      ["--what"],
      ["http://a", "--pass-through"],
    ]) {
      const { status, errors } = await runSuite(...args);
      expect(status).toBe(2);
      expect(errors).toMatch(/^error: .+\n {2}fix: /);
    }
  });
});
