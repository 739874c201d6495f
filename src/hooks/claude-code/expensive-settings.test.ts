/** Settings that are made to take long. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { machineSlowness } from "../../../test/fixtures/machine-slowness.ts";
import { hooks, openProject } from "./settings-programs.test-kit.ts";
import { isNamedBySettings } from "./settings-programs.ts";

const { root, isNamed, close } = openProject();
afterAll(close);

describe("the agent's settings", () => {
  it("are read in time, whatever a variable in them looks like (D2)", async () => {
    expect(await isNamed(".mcp.json", "${".repeat(120_000), "src/a.ts")).toBe(false);
    const start = performance.now();
    const module = hooks(`python -m ${"a.".repeat(100_000)}b`);
    expect(await isNamed(".claude/settings.json", module, "src/a.ts")).toBe(false);
    expect(performance.now() - start).toBeLessThan(2000);
  });

  const letters = [..."abcdefghijkl"];
  const subsets = Array.from({ length: 4000 }, (_, at) =>
    letters.map((letter, bit) => ((at >> bit) & 1 ? `$${letter}` : "")).join(""),
  );
  it.each<readonly [string, number, object]>([
    ["a long PATH for many commands", 1000, { env: { PATH: "a".repeat(32_000) }, hooks: subsets }],
    ["modules of many parts", 3000, { env: { NODE_OPTIONS: `\`${`-m${"a.".repeat(64)}:`.repeat(240)}` } }],
    [
      "variables that name all others",
      1000,
      {
        env: Object.fromEntries(
          Array.from({ length: 1500 }, (_, at) => [`v${at}`, at === 0 ? "" : `$v${at - 1} $v${at + 1}`]),
        ),
        hooks: Array.from({ length: 4000 }, (_, at) => `$v${at % 1500}$v${(at * 7) % 1500}`),
      },
    ],
  ])("are read in time where they have %s (D2)", async (_, most, { hooks: texts = [], env }: any) => {
    const commands = texts.map((command: string) => ({ command: `s ${command}` }));
    const none = Object.fromEntries(letters.map((letter) => [letter, ""]));
    const text = JSON.stringify({ env: { ...none, ...env }, hooks: { Stop: [{ hooks: commands }] } });
    const start = process.cpuUsage();
    await isNamed(".claude/settings.json", text, "src/a.ts");
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1000).toBeLessThan(most * machineSlowness());
  });

  it("are read in time, however many words stand before one (D2)", async () => {
    const start = performance.now();
    await isNamed(".claude/settings.json", hooks("-x b ".repeat(200_000)), "src/a.ts");
    await isNamed(".claude/settings.json", hooks("-x b ".repeat(990)), "src/a.ts");
    expect(performance.now() - start).toBeLessThan(3000);
  });

  it("are read in time, whatever they consist of (D2)", async () => {
    const start = process.cpuUsage();
    const parts = [
      "sh -a ",
      "node -a b ",
      "$(",
      "./",
      "\\x41",
      "%41",
      "`",
      ";a",
      "-m a.b ",
      "1",
      "\\`",
      "/",
      ":",
      "a/",
    ];
    for (const part of parts) {
      const command = hooks(part.repeat(200_000 / part.length));
      expect([part, await isNamed(".claude/settings.json", command, "src/a.ts")]).toEqual([part, false]);
    }
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1000).toBeLessThan(parts.length * 400);
  });

  it("are read in time where there are many (D2)", async () => {
    const command = 'cd "$CLAUDE_PROJECT_DIR" && node tools/x.js --fix src && npx prettier --write .';
    const listed = Array.from({ length: 500 }, (_, at) => join(root, `many/d${at}/.claude/settings.json`));
    for (const path of listed) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, hooks(command));
    }
    const question = { root, cwd: root, settings: null, projects: [root], listed };
    const environment = { HOME: join(root, "home") };
    const isMeant = (name: string) =>
      isNamedBySettings({ ...question, environment, written: [join(root, name).toLowerCase()] });
    const start = process.cpuUsage();
    expect([await isMeant("many/d1/src/a.ts"), await isMeant("many/d7/tools/x.js")]).toEqual([false, true]);
    const { user, system } = process.cpuUsage(start);
    rmSync(join(root, "many"), { recursive: true });
    expect((user + system) / 1000).toBeLessThan(4000);
  });

  it("are read where git ignores them, and may name any file where all together are too long (D2)", async () => {
    const folder = join(root, ".claude/agents");
    mkdirSync(folder, { recursive: true });
    const question = { root, cwd: root, settings: null, projects: [root], listed: [] };
    const environment = { HOME: join(root, "home") };
    const isMeant = (name: string) =>
      isNamedBySettings({ ...question, environment, written: [join(root, name).toLowerCase()] });
    writeFileSync(
      join(folder, "a.md"),
      "---\nname: a\nhooks:\n  Stop:\n    - command: ./tools/fmt.sh\n---\n",
    );
    expect([await isMeant("tools/fmt.sh"), await isMeant("src/a.ts")]).toEqual([true, false]);
    for (let at = 0; at < 1_000; at += 1)
      writeFileSync(join(folder, `${at}.md`), `---\nhooks:\n ${"x a: ".repeat(at % 25)}b\n---\n`);
    const begun = performance.now();
    expect([await isMeant("tools/fmt.sh"), await isMeant("src/a.ts")]).toEqual([true, false]);
    expect(performance.now() - begun).toBeLessThan(2500 * machineSlowness());
    for (let at = 0; at < 10; at += 1)
      writeFileSync(join(folder, `${at}.md`), `---\nname: a\n---\n${"x".repeat(900_000)}`);
    expect(await isMeant("src/a.ts")).toBe(true);
    rmSync(folder, { recursive: true });
  });

  it.each([
    ["inline lists", "{[[", 300],
    ["explicit keys", `${"? a: ".repeat(36)}${"x a: ".repeat(480)}`, 1],
    ["open objects", `${"{a: a:\n".repeat(39)}${"xa: a:\n".repeat(480)}`, 1],
    ["lists behind tabs", `${"x\n-\n\n  ".repeat(30)}${"-\t".repeat(1900)}`, 1],
    ["lists that don't end", "command: args: [", 60_000],
    ["arguments", "command: a\n args:\n  - ", 40_000],
    ["blanks", `args:${" ".repeat(500_000)}\nargs:\n${" ".repeat(400_000)}`, 1],
  ])("are read in time where a definition has many %s (D3)", async (_, level, count) => {
    const text = `---\nname: a\nhooks:\n ${level.repeat(count)}x tools/fmt.sh\n---\n`;
    const begun = performance.now();
    expect(await isNamed(".claude/agents/a.md", text, "tools/fmt.sh")).toBe(true);
    expect(performance.now() - begun).toBeLessThan(1000 * machineSlowness());
  });
});
