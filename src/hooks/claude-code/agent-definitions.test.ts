import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { findDefinitions, mayBeNamed } from "./agent-definitions.ts";
import { agentEnvironment } from "./agent-environment.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "sluicegate-agents-")));
  mkdirSync(join(root, ".claude/agents"), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (name: string, text: string): void => writeFileSync(join(root, ".claude/agents", name), text);

const find = (subagent_type: string) =>
  findDefinitions(
    { arguments: { subagent_type }, cwd: root },
    agentEnvironment({ HOME: join(root, "home") }),
  );

describe("whether a file may define a subagent (law-5)", () => {
  it.each([
    ["name: general-purpose"],
    ['name: "general-purpose"'],
    ["name:\n  general-\n  purpose"],
    ["name: >-\n  general-purpose"],
    ["name: &x general-purpose"],
    ["description: &x general-purpose\nname: *x"],
    ["name: # mine\n  general-purpose"],
    ["? name\n: general-purpose"],
    ["? name # c\n: general-purpose"],
    ["description: &k name\n*k : general-purpose\nx: { name: other }"],
    ["base: &b { name : general-purpose }\n<<: *b"],
    ['"n\\x61me": x'],
    ["name: other\nname: General_Purpose"],
    ["{ description: x, name: general-purpose }"],
    ["name : general-purpose # mine"],
    ["  name: general-purpose"],
    ["name: general-purpose---strict"],
    ["Name: 'General Purpose'"],
  ])("says yes for %j", async (front) => {
    write("x.md", `---\n${front}\n---\nText.\n`);
    expect(await find("general-purpose")).toEqual([join(root, ".claude/agents/x.md")]);
  });

  it.each([
    ["name: reviewer\ndescription: Like the general purpose agent, but it reviews."],
    ["name: general\ndescription: purpose"],
    ["name: general-purpose-strict"],
    ["name: C#/C++ (backend & tests) 🧪"],
    ["name: 'strict-general-purpose'"],
    ["description: A general purpose agent, *strict*: \\n\\n<example>x</example>\nname: reviewer"],
    ["name: reviewer\ndescription: |\n  general purpose\n\n  name: general-purpose\ntools:\n- Read"],
  ])("says no for %j", async (front) => {
    write("x.md", `---\n${front}\n---\nA general-purpose text.\n`);
    expect(await find("general-purpose")).toEqual([]);
  });

  it.each([
    ["# Agents\n\nUse the general-purpose agent for the rest.\n", false],
    ["Mine\n---\nname: general-purpose\n---\n", true],
    ["\ufeff\n\n---\nname: general-purpose\n---\n", true],
    ["\u200b---\nname: general-purpose\n---\n", true],
  ])("says of %j whether it may: %s", async (text, may) => {
    write("README.md", text);
    expect(await find("general-purpose")).toHaveLength(may ? 1 : 0);
  });

  it("takes any file for a name that is too long to be compared", async () => {
    expect(await find("a".repeat(100_000))).toEqual([]);
    write("x.md", "---\nname: x\n---\n");
    expect(await find("a".repeat(100_000))).toEqual([join(root, ".claude/agents")]);
    expect(await find("\ufdfa".repeat(60))).toEqual([join(root, ".claude/agents")]);
  });

  it.each([
    ["one letter", "a", `${"a".repeat(30)}b${"a".repeat(30)}`],
    ["letters that grow", "\ufdfa", "x"],
    ["keys called `name`", "name: a ", "x"],
  ])("keeps no turn for long, whatever files of %s there are", async (_, part, name) => {
    const text = `---\nname: >\n${part.repeat(Math.ceil(60_000 / Buffer.byteLength(part)))}\n---\n`;
    for (let at = 0; at < 60; at += 1) write(`${at}.md`, text);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    await find(name);
    delay.disable();
    expect(delay.max / 1e6).toBeLessThan(250);
  });

  it("never says no where YAML reads that name", () => {
    let seed = 7;
    const pick = (items: readonly string[]): string => {
      seed = (seed * 48_271) % 2_147_483_647;
      return items[seed % items.length] ?? "";
    };
    let named = 0;
    for (let at = 0; at < CASES; at += 1) {
      const parts = Array.from({ length: 2 + (at % 9) }, () => pick(PARTS));
      const text = `${pick(STARTS)}${parts.join("")}${pick(ENDS)}`;
      const isNamed = FRONTS.some((front) => definesName(front.exec(text)?.[1] ?? ""));
      named += isNamed ? 1 : 0;
      if (isNamed) expect([text, mayBeNamed(text, "x.md", "generalpurpose")]).toEqual([text, true]);
    }
    expect(named).toBeGreaterThan(CASES / 300);
  });
});

const CASES = Number(process.env.SLUICEGATE_CASES ?? 3000);
const STARTS = ["---\n", "--- \n", "---\r\n", "\ufeff---\n", "\n---\n", "---yaml\n"];
const ENDS = ["\n---\n", "\n--- \n", "\n---", "\n---\nname: x\n---\n", "---\n"];
const PARTS = [
  ...[
    "name",
    "name: ",
    "name:",
    "name : ",
    "'name': ",
    '"n\\x61me": ',
    "? name\n: ",
    "!!str name: ",
    "Name: ",
  ],
  ...[
    "general-purpose",
    "general-purpose",
    '"general-purpose"',
    "'general-purpose'",
    "general-",
    "purpose",
    "x",
  ],
  ...["\n", "\n", "\n", "\r\n", "\n\n", "\n  ", "\n ", "  ", "\t", " # c", "# c\n", "---", "\n---\n", "..."],
  ...["{", "}", "[", "]", ", ", ": ", "- ", "&a ", "*a", "<<: *a", "<<: ", "!!str ", "! ", ">-\n  ", "|\n  "],
  ...[
    '"',
    "'",
    "\\\n",
    "\\x67",
    "\u2028",
    "\r---\n",
    "\u200b",
    "description: ",
    "model: x\n",
    "hooks:\n  a: b\n",
  ],
];
/** How a program may find the front matter. */
const FRONTS = [
  /^\ufeff?\s*---\s*\n([\s\S]*?)---\s*\n?/,
  /^\ufeff?\s*---\s*\r?\n([\s\S]*?)\r?\n---/,
  /^\ufeff?\s*---(?:yaml)?[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/,
];

function definesName(front: string): boolean {
  try {
    const found: unknown = parse(front, {
      merge: true,
      strict: false,
      uniqueKeys: false,
      logLevel: "silent",
    });
    const name = typeof found === "object" && found !== null && "name" in found ? found.name : null;
    return typeof name === "string" && name.trim().toLowerCase() === "general-purpose";
  } catch {
    return false;
  }
}
