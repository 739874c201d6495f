/** Holds the documentation against the code: samples come from programs that run, policies load, links lead somewhere. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parseConfig } from "../src/policy-file/index.ts";
import { PROGRAMS } from "./example-programs.ts";
import { REQUIREMENTS } from "./requirements.ts";

const ROOT = resolve(import.meta.dirname, "..");
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");
const markdown = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => join(folder, file));

const PAGES = [
  ...markdown("."),
  ...markdown("docs"),
  ...markdown("docs/decisions"),
  "spec/README.md",
  "examples/office/README.md",
];
/** Programs that run with an SDK that is too big to be installed here: `npm run test:claude` runs them. */
const ON_DEMAND = ["test/claude-agent/sample.ts"];
/** Shown whole; the examples read them. */
const INCLUDED = ["examples/guides/dbs.yaml", "examples/guides/apis.yaml"];

const blocks = (language: string): { page: string; text: string }[] =>
  PAGES.flatMap((page) =>
    [...read(page).matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, "gm"))].map(
      ([, text = ""]) => ({ page, text }),
    ),
  );

/** What a policy in a page names lies in the fixture of the seed's own files. */
const ENVIRONMENT = {
  ADA_TOKEN: "x",
  ANN_TOKEN: "x",
  GATE_SECRET: "a-secret-of-the-tests",
  BOOKS_PASSWORD: "x",
  LEDGER_PASSWORD: "x",
  TICKETS_TOKEN: "x",
  TICKETS_URL: "http://x",
};
const readNamed = (page: string) => async (path: string) =>
  read(join("test", "fixtures", "seed-connectors", relative(dirname(page), path)));

describe("the documentation", () => {
  it.each(blocks("ts"))("shows in $page only code of programs that run", ({ text }) => {
    const programs = [...PROGRAMS, ...ON_DEMAND].map(read);
    expect(
      programs.some((program) => program.includes(text.trimEnd())),
      text,
    ).toBe(true);
  });

  it.each(blocks("yaml"))("shows in $page only policies that load", async ({ page, text }) => {
    if (INCLUDED.map(read).includes(text)) return;
    const file = join(ROOT, page);
    const { warnings } = await parseConfig(text, {
      file,
      environment: ENVIRONMENT,
      readText: readNamed(file),
    });
    expect(warnings).toBeInstanceOf(Array);
  });

  it("links only to what is there", () => {
    const broken = PAGES.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:)([^)#\s]+)[^)]*\)/g)]
        .map(([, target = ""]) => target)
        .filter((target) => !existsSync(resolve(ROOT, dirname(page), target)))
        .map((target) => `${page} → ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it("has the two commands in its README, and its laws in the list of requirements", () => {
    const readme = read("README.md");
    expect(readme).toContain("npm ci && npm start");
    expect(readme).toContain("npm ci && npm test");
    const laws = [...readme.matchAll(/^\d+\. (.*)$/gm)].length;
    expect(laws).toBe(
      Object.entries(REQUIREMENTS).filter(([id, { planned }]) => id.startsWith("law-") && !planned).length,
    );
  });

  it("names every folder of the sources in the map", () => {
    const map = read("docs/architecture.md");
    const folders = readdirSync(join(ROOT, "src"), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    expect(folders.filter(({ name }) => !map.includes(`\`src/${name}\``)).map(({ name }) => name)).toEqual(
      [],
    );
  });
});
