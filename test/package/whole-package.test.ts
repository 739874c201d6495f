/** What of the installed package takes long to look at. */
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { type InstalledPackage, installPackage, ROOT } from "./installed-package.ts";

let installed: InstalledPackage;
beforeAll(() => {
  installed = installPackage();
}, 120_000);
afterAll(() => installed?.remove());

it("gives TypeScript every subpath, checked strictly with all of its declarations, and runs", () => {
  cpSync(join(import.meta.dirname, "consumer.ts"), join(installed.project, "consumer.ts"));
  const compilerOptions = {
    target: "esnext",
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
    types: ["node"],
    typeRoots: [join(ROOT, "node_modules/@types")],
  };
  const files = ["consumer.ts", "main.ts", "visibility.ts"];
  writeFileSync(join(installed.project, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  expect(installed.node(join(ROOT, "node_modules/typescript/bin/tsc"), "--project", ".")).toBe("");
  expect(JSON.parse(installed.node("consumer.ts"))).toEqual({
    order: ["web_search", "search_email"],
    mail: 3,
    web: "deny",
    level: "internal",
    clean: "allow",
    known: true,
    tools: true,
    health: 200,
  });
});

it.each(COMMANDS.map(({ name }) => name))("has all that the command `%s` loads (X13)", (name) => {
  const command = join(installed.folder, "lib/cli/start.js");
  expect(installed.node(command, name, "--help")).toMatch(/^Usage: sluicegate /);
});
