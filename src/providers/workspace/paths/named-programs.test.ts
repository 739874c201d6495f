import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { machineSlowness } from "../../../../test/fixtures/machine-slowness.ts";
import { findNamedPrograms } from "./named-programs.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "sluicegate-named-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const find = (command: string) => findNamedPrograms([{ texts: [command], folders: [root] }]);
const isNamed = async (command: string, file: string) => (await find(command))?.has(join(root, file));

/** What a shell runs with this command. */
const RUN: readonly (readonly [string, string])[] = [
  ["$A$" + "{B:-$" + "{C:-tools/x.sh}}", "tools/x.sh"],
  ["$" + "{A-tools/x.sh}", "tools/x.sh"],
  ["$" + "{PYTHON:-python3} -m tools.fmt", "tools/fmt.py"],
  ["$" + "{PYTHON:-python3} -m tools.fmt", "tools/__init__.py"],
  ["MODULE=fmt; python3 -m $MODULE", "fmt.py"],
  ["python3 -c 'from tools import fmt'", "tools/fmt.py"],
  ["PYTHONPATH=lib python3 -m fmt", "lib/fmt.py"],
  ["perl -Ilib -MTools::Fmt -e1", "lib/Tools/Fmt.pm"],
  ["uvicorn app.main:app", "app/main.py"],
  ["php -d x=y artisan", "artisan"],
  ["cd a && cd b && ./c.sh", "a/b/c.sh"],
  ["X=tools; $X/x.sh", "tools/x.sh"],
  ['sh -c "node \\"tools/x.js\\""', "tools/x.js"],
  ["bash -c 'node '\\''tools/x.js'\\'''", "tools/x.js"],
  ["$'\\x74ools/x.sh'", "tools/x.sh"],
  ['to"ol"s/x.sh', "tools/x.sh"],
  ["tools/f\\\nmt.sh", "tools/fmt.sh"],
  ["cd 'my tools' && ./x.sh", "my tools/x.sh"],
  ["NODE_PATH=lib node -e 'require(\"x\")'", "lib/x.js"],
  ["node --require ./tools -e 1", "tools/index.js"],
  ["node .", "index.js"],
  ['node "$PWD"', "index.js"],
  ["cd tools && node .", "tools/index.js"],
  ["cd tools; python3 .", "tools/__main__.py"],
  ["bun run ./tools/", "tools/package.json"],
  ["go run ./cmd/x", "cmd/x/main.go"],
  ["echo x | xargs node", "x.js"],
  ["cat x.sh | bash", "x.sh"],
  ["PATH=tools:$PATH fmt", "tools/fmt"],
  ["$(cd tools && pwd)/x.sh", "tools/x.sh"],
  ["docker run -v $PWD:/app node node /app/server.js", "server.js"],
  ["node --import file:///tools/%78.mjs", "tools/x.mjs"],
  ["find . -name x.sh -exec sh {} \\;", "tools/x.sh"],
  ["python3 -m coverage run -m tools.fmt", "tools/fmt.py"],
  ["!node server", "server.js"],
  ['bash -c "$(cat fmt)"', "fmt"],
  ["node 2>/dev/null fmt", "fmt.js"],
  ["sh </dev/null fmt", "fmt"],
  ["node tools/.", "tools/index.js"],
  ['node "$CLAUDE_PROJECT_DIR/tools/."', "tools/index.js"],
  ["sh my' 'tools/fmt.sh", "my tools/fmt.sh"],
  ["PYTHONPATH=src python3 -c pass", "src/sitecustomize.py"],
  ["PYTHONPATH=. pytest", "usercustomize.py"],
];

/** Links by which a command runs a file. */
const LINKED: readonly (readonly [string, string, readonly (readonly [string, string])[]])[] = [
  ["tools/x.sh", "real-tools/x.sh", [["tools", "real-tools"]]],
  ["python3 -m tools.fmt", "real/fmt.py", [["tools", "real"]]],
  ["node tools", "real/index.js", [["tools", "real"]]],
  ["node tools", "src/main.js", [["tools/index.js", "../src/main.js"]]],
  ["python3 -m tools", "src/main.py", [["tools/__main__.py", "../src/main.py"]]],
  ["bash run", "real/y.sh", [["run", "real/y.sh"]]],
  ["node tools/x", "real/y.js", [["tools/x.js", "../real/y.js"]]],
  [
    "./one",
    "real/y.sh",
    [
      ["one", "two"],
      ["two", "real/y.sh"],
    ],
  ],
  [
    "a/b/x.sh",
    "real-b/x.sh",
    [
      ["a", "real-a"],
      ["real-a/b", "../real-b"],
    ],
  ],
  ["there/../y.sh", "scripts/y.sh", [["there", "scripts/deep"]]],
];

/** What runs none of these files of the project. */
const FILES = [
  ...["src/index.ts", "package.json", "src/package.json", "__init__.py", "src/__init__.py", "index.js"],
  ...["src/server.ts", "server.js", "tools/__init__.py", "fmt.sh", "README.md", "y.ts"],
];
const HONEST = [
  ...["npx prettier --write .", "npx eslint --fix src", "npm run lint", "pnpm lint && pnpm test"],
  ...["python -m ruff check src tools", "python3 -m black src", "uv run ruff check src", "uvx ruff format ."],
  ...["gofmt -w .", "go vet ./...", "make -C tools check", "pre-commit run --all-files", "npx husky"],
  ...["jq -r .version package.json", "[ -f package.json ] && npm test", "python3 -m pytest src"],
  ...['node --check "$FILE"', 'bash -n "$f"', "git diff > src/other.ts"],
  ...['cd "$CLAUDE_PROJECT_DIR" && node dist/index.js', 'node "$CLAUDE_PROJECT_DIR/tools/x.js" src'],
  ...["node $(git rev-parse --show-toplevel)/tools/x.js src", "node --no-warnings tools/x.mjs src"],
  ...["bash -lc 'nvm use 22 && npm test'", "command -v node >/dev/null || exit 0; npm run format"],
  ...[
    "~/.claude/fmt.sh",
    "node /opt/mcp/server.js",
    "curl https://example.com/src/server",
    "bun x eslint src",
  ],
  ...["osascript -e 'display notification \"server\"'", "docker run -v $PWD:/app mcp/server"],
];

describe("the programs that a command names (D3)", () => {
  it.each(RUN)("are found in %j: %s", async (command, file) => {
    expect(await isNamed(command, file)).toBe(true);
    expect(await isNamed(command, "src/other.ts")).toBe(false);
  });

  it.each(LINKED)("are found through links in %j: %s", async (command, file, links) => {
    for (const folder of ["scripts/deep", "real", "real-a", "real-b", "real-tools"])
      mkdirSync(join(root, folder), { recursive: true });
    for (const [name, target] of links) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      symlinkSync(target, join(root, name));
    }
    expect(await isNamed(command, file)).toBe(true);
    expect(await isNamed(command, `${file}.txt`)).toBe(false);
  });

  it.each(HONEST)("are none of the project's files in %j", async (command) => {
    const programs = await find(command);
    expect(FILES.filter((file) => programs?.has(join(root, file)))).toEqual([]);
  });

  it("lie in the folders that a command names, and in no other ones", async () => {
    const programs = await find("cd tools && deep/x.sh");
    const folders = ["tools", "tools/deep", "deep", "src"].filter((name) =>
      programs?.liesIn(join(root, name)),
    );
    expect(folders).toEqual(["tools", "tools/deep", "deep"]);
  });

  it("are found in time where many names lead to one large folder", async () => {
    const names = Array.from({ length: 60 }, (_, at) => `l${at}`);
    for (const folder of ["a", "b", "c"]) mkdirSync(join(root, folder));
    for (const name of names) {
      symlinkSync("../b", join(root, "a", name));
      symlinkSync("../c", join(root, "b", name));
    }
    for (let at = 0; at < 1000; at += 1) writeFileSync(join(root, "c", `f${at}`), "");
    const start = process.cpuUsage();
    expect(await isNamed(`sh a/${names.join("/")}/f7`, "c/f7")).toBe(true);
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1000).toBeLessThan(1000 * machineSlowness());
  });

  it("are found among links to each other", async () => {
    for (const name of ["a", "b"]) mkdirSync(join(root, name));
    symlinkSync("../b", join(root, "a/b"));
    symlinkSync("../a", join(root, "b/a"));
    expect(await isNamed("a/b/a/b/x.sh", "b/x.sh")).toBe(true);
  });
});
