import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { agentEnvironment } from "./agent-environment.ts";
import { hooks, openProject } from "./settings-programs.test-kit.ts";
import { isNamedBySettings } from "./settings-programs.ts";

const { root, isNamed, close } = openProject();
afterAll(close);

const SETTINGS: readonly (readonly [string, string, string])[] = [
  [".claude/settings.json", hooks("$CLAUDE_PROJECT_DIR/tools/fmt.sh --all"), "tools/fmt.sh"],
  [".claude/settings.json", hooks(`cd "\${CLAUDE_PROJECT_DIR:-.}" && ./tools/fmt.sh`), "tools/fmt.sh"],
  [".claude/settings.json", hooks("cd tools && ./fmt.sh"), "tools/fmt.sh"],
  [".claude/settings.json", hooks("$(git rev-parse --show-toplevel)/tools/fmt.sh"), "tools/fmt.sh"],
  [".claude/settings.json", hooks("node tools/fmt"), "tools/fmt.js"],
  [".claude/settings.json", hooks("node", { args: ["--import=./tools/x.mjs", "./tools"] }), "tools/index.ts"],
  [".claude/settings.json", hooks("python3 -m tools.fmt"), "tools/fmt.py"],
  [".claude/settings.json", hooks("/usr/bin/node tools"), "tools/index.js"],
  [".claude/settings.json", hooks(".venv/bin/python -m tools.fmt"), "tools/fmt/__main__.py"],
  [".claude/settings.json", hooks("python3 -Bm tools.fmt"), "tools/__init__.py"],
  [".claude/settings.json", hooks("sh 'my tools/fmt.sh'"), "my tools/fmt.sh"],
  [".claude/settings.json", hooks("my\\ tools/fmt.sh"), "my tools/fmt.sh"],
  [
    ".claude/settings.json",
    JSON.stringify({ statusLine: { type: "command", command: "bash ./line.sh" } }),
    "line.sh",
  ],
  [".claude/settings.local.json", JSON.stringify({ apiKeyHelper: "tools/key.sh" }), "tools/key.sh"],
  [
    ".claude/settings.json",
    JSON.stringify({ env: { NODE_OPTIONS: "--require=./tools/x.cjs" } }),
    "tools/x.cjs",
  ],
  [".claude/settings.json", '{ "apiKeyHelper": "tools/key.sh", }', "tools/key.sh"],
  [
    ".mcp.json",
    JSON.stringify({ mcpServers: { a: { command: "node", args: ["server.js"], cwd: "mcp" } } }),
    "mcp/server.js",
  ],
  ...[
    [{ command: "go", env: { LOG_LEVEL: "debug" }, args: ["run", "./mcp"] }, "mcp/main.go"],
    [{ command: "node", env: { API_URL: "http://localhost:3000" }, args: ["./mcp"] }, "mcp/index.js"],
    [{ cwd: "mcp", command: "node", args: ["."] }, "mcp/index.js"],
    [{ command: "flask", args: ["run", "--port", "5000"], env: { FLASK_APP: "server" } }, "server.py"],
    [{ transport: "stdio", command: "python", alwaysAllow: ["a"], args: ["mcp"] }, "mcp/__main__.py"],
  ].map(
    ([server, file]) => [".mcp.json", JSON.stringify({ mcpServers: { dev: server } }), `${file}`] as const,
  ),
  ...[
    ["command: node\n    env:\n      A: b\n    args: [./mcp]", "mcp/index.js"],
    ["command: node\n    type: stdio\n    args: [./mcp]", "mcp/index.js"],
    ["command: python\n    args:\n      - -m\n      - mcp", "mcp/__main__.py"],
    ["args: [./mcp]\n    type: stdio\n    command: node", "mcp/index.js"],
    ["{ command: node, type: stdio, args: [./mcp] }", "mcp/index.js"],
    ["command: node # 24\n    args: # the server\n      - ./mcp", "mcp/index.js"],
    [`command: \${VENV}/bin/python\n    env: { A: b }\n    args: &a [mcp]`, "mcp/__main__.py"],
  ].map(
    ([server, file]) =>
      [".claude/agents/a.md", `---\nmcpServers:\n  dev:\n    ${server}\n---\n`, `${file}`] as const,
  ),
  [
    ".claude/agents/a.md",
    "---\ndescription: Use this: when needed\nmcpServers:\n  a:\n    command: node\n    type: stdio\n    args: [./mcp]\n---\n",
    "mcp/index.js",
  ],
  [
    ".claude/agents/a.md",
    '---\n{"description":"Maintains hooks: x","mcpServers":{"dev":{"command":"node","env":{"A":"b"},"args":["./mcp"]}}}\n---\n',
    "mcp/index.js",
  ],
  [
    ".claude/settings.json",
    hooks(`f=$(python3 -c "import json; print(json.load())"); "$NODE" ./mcp "$f"`),
    "mcp/index.js",
  ],
  [".claude/settings.json", hooks("node -C development ./mcp"), "mcp/index.js"],
  [".claude/settings.json", hooks("perl -Isrc fmt"), "fmt"],
  [
    ".claude/agents/a.md",
    "---\nx: &x\n  Stop: [{ hooks: [{ command: tools/fmt.sh }] }]\nhooks: *x\n---\n",
    "tools/fmt.sh",
  ],
  ["app/.claude/settings.json", hooks("../tools/fmt.sh"), "tools/fmt.sh"],
  ["app/.mcp.json", JSON.stringify({ mcpServers: { a: { command: "./serve" } } }), "app/serve"],
  [
    ".claude/agents/a.md",
    "---\nname: a\nhooks:\n  Stop:\n    - hooks:\n        - command: tools/fmt.sh\n---\nx",
    "tools/fmt.sh",
  ],
  ...["--- \n", "---\t\r\n", "\ufeff---\n"].map(
    (start) =>
      [
        ".claude/agents/a.md",
        `${start}name: a\nhooks:\n  Stop:\n    - hooks:\n        - command: tools/fmt.sh\n---\nx`,
        "tools/fmt.sh",
      ] as const,
  ),
  [
    ".claude/agents/a.md",
    "---\n{ name: a, mcpServers: { b: { command: node, args: [tools/serve.js] } } }\n---\nx",
    "tools/serve.js",
  ],
  [
    ".mcp.json",
    JSON.stringify({ mcpServers: { a: { command: "node", args: ["--no-warnings", "server"] } } }),
    "server.js",
  ],
  [".claude/settings.json", hooks("python3 -mtools.fmt"), "tools/fmt.py"],
  [".claude/settings.json", hooks("bash fmt"), "fmt"],
  ...["f=fmt; $SHELL $f", "for f in fmt lint; do $(which sh) $f; done", "X='sh fmt'; $SHELL -c $X"].map(
    (command) => [".claude/settings.json", hooks(command), "fmt"] as const,
  ),
  [".claude/settings.json", hooks("PY=python3; PKG=tools; $PY -m $PKG"), "tools/__main__.py"],
  [".claude/settings.json", JSON.stringify({ env: { LINT: "python3 -m tools.fmt" } }), "tools/fmt.py"],
  [
    ".claude/skills/fmt/.claude-plugin/plugin.json",
    JSON.stringify({ hooks: { Stop: [{ hooks: [{ command: "$CLAUDE_PROJECT_DIR/tools/fmt.sh" }] }] } }),
    "tools/fmt.sh",
  ],
  [".claude/settings.json", hooks("php artisan pint"), "artisan"],
  [
    ".claude/settings.json",
    JSON.stringify({ sandbox: { enabled: true, ripgrep: { command: "./tools/rg.sh" } } }),
    "tools/rg.sh",
  ],
  [".claude/settings.json", hooks("uv run -m server"), "server.py"],
  [".mcp.json", JSON.stringify({ mcpServers: { a: { args: ["server"], command: "node" } } }), "server.js"],
  ...["sandbox", "name", "model", "repository"].map(
    (name) =>
      [
        ".mcp.json",
        JSON.stringify({ mcpServers: { [name]: { command: "tools/serve.sh" } } }),
        "tools/serve.sh",
      ] as const,
  ),
  [
    ".mcp.json",
    JSON.stringify({ mcpServers: { tags: { url: "https://localhost", headersHelper: "tools/key.sh" } } }),
    "tools/key.sh",
  ],
  [".claude-plugin/plugin.json", JSON.stringify({ hooks: "./conf/h.json" }), "conf/h.json"],
  [
    ".claude-plugin/marketplace.json",
    JSON.stringify({ metadata: { pluginRoot: "./plugins" }, plugins: [{ source: "fmt" }] }),
    "plugins/fmt/hooks/hooks.json",
  ],
  [
    ".claude-plugin/marketplace.json",
    JSON.stringify({
      plugins: [{ source: "./plugs/in", mcpServers: { a: { command: "$CLAUDE_PLUGIN_ROOT/server.js" } } }],
    }),
    "plugs/in/server.js",
  ],
  [
    ".claude-plugin/marketplace.json",
    JSON.stringify({ plugins: [{ source: "./plugs/a" }] }),
    "plugs/a/hooks/hooks.json",
  ],
  ["hooks/hooks.json", hooks(`$CLAUDE_PLUGIN_ROOT/tools/fmt.sh`), "tools/fmt.sh"],
  [
    ".mcp.json",
    JSON.stringify({
      mcpServers: { a: { command: "python", args: ["-m", "x"], env: { PYTHONPATH: "lib" } } },
    }),
    "lib/x.py",
  ],
  [
    ".mcp.json",
    JSON.stringify({ mcpServers: { a: { command: "fmt", env: { PATH: "tools:/bin" } } } }),
    "tools/fmt",
  ],
  [".mcp.json", '{ "a": { "command": "node", "args": ["server"], } }', "server.js"],
  [
    ".claude/settings.json",
    JSON.stringify({ env: { PYTHONPATH: "lib" }, statusLine: { command: "python3 -m line" } }),
    "lib/line.py",
  ],
  ...["sitecustomize/__init__.py", "usercustomize.py", "encodings/x.py"].map(
    (file) =>
      [
        ".mcp.json",
        JSON.stringify({ mcpServers: { a: { command: "python", env: { PYTHONPATH: "lib" } } } }),
        `lib/${file}`,
      ] as const,
  ),
  [".claude/settings.json", JSON.stringify({ env: { PATH: "./conf:/usr/bin" } }), "conf/ls"],
  [".claude/settings.json", JSON.stringify({ env: { GIT_CONFIG_VALUE_0: "conf" } }), "conf/pre-commit"],
  [".claude/settings.json", JSON.stringify({ env: { PYTHONSTARTUP: "start" } }), "start"],
  [".claude/settings.json", hooks("PATH+=:tools; zfmt"), "tools/zfmt"],
  [".claude/settings.json", hooks("bash run lint"), "run"],
  [".claude/settings.json", hooks("sh start -d prod"), "start"],
  [
    ".mcp.json",
    JSON.stringify({
      mcpServers: {
        a: { command: "docker", args: ["run", "-v", `${root}:/app`, "x", "node", "/app/server.js"] },
      },
    }),
    "server.js",
  ],
  ...["--mount type=bind,src=$PWD,dst=/w", "--volume=$PWD:/w", '-v"$CLAUDE_PROJECT_DIR":/w', "-v .:/w"].map(
    (mount) => [".claude/settings.json", hooks(`docker run ${mount} x node /w/fmt.js`), "fmt.js"] as const,
  ),
  [".claude/settings.json", hooks(`cp -r ${root} ../w && sh ../w/fmt.sh`), "fmt.sh"],
  [".claude/settings.json", hooks("sh $MY_TOOLS/fmt.sh", { env: { MY_TOOLS: "tools" } }), "tools/fmt.sh"],
];

describe("the agent's settings", () => {
  for (const folder of ["plugs/a", "tools", "mcp", "src", "lib"])
    mkdirSync(join(root, folder), { recursive: true });

  it.each(SETTINGS)("name what they start: %s, %s (D3)", async (name, text, file) => {
    expect(await isNamed(name, text, file)).toBe(true);
    for (const other of ["src/a.ts", "src/index.ts", "tools/other.sh"])
      expect([other, await isNamed(name, text, other)]).toEqual([other, false]);
  });

  it.each<readonly [string, string]>([
    [".claude/settings.json", JSON.stringify({ permissions: { allow: ["Edit(src/a.ts)", "src/a.ts"] } })],
    [".claude/settings.json", hooks("npx eslint src lib && npm run lint")],
    [".claude/settings.json", JSON.stringify({ hooks: { Stop: [{ matcher: "src/a.ts", hooks: [] }] } })],
    [".mcp.json", JSON.stringify({ mcpServers: { a: { command: "npx", args: ["-y", "files", "./src"] } } })],
    [".claude/agents/a.md", "---\nname: a\ndescription: See src/a.ts\n---\nhooks: src/a.ts"],
    [".claude/agents/a.md", "---\ndescription: Prefers &str, see src/a.ts\nhooks: { Stop: [] }\n---\n"],
    [
      ".claude/agents/a.md",
      "---\nmcpServers:\n  fs: { command: npx, args: [-y, x, .] }\n  db: { command: node, args: [/opt/db.js] }\n---\n",
    ],
    [".claude-plugin/plugin.json", JSON.stringify({ name: "src", description: "src/a.ts" })],
    [
      ".claude/settings.json",
      hooks('"/usr/bin/node" "/opt/sluicegate" hook claude-code || exit 2', { model: "server" }),
    ],
    [".mcp.json", JSON.stringify({ mcpServers: { a: { command: "npx", args: ["-y", "server"] } } })],
    [
      ".mcp.json",
      JSON.stringify({ mcpServers: { a: { command: "npx", env: { A: "$A_KEY", B: "$B_KEY" } } } }),
    ],
    [".claude/settings.json", hooks('printf "%s@%s %s" "$(whoami)" "$(hostname -s)" "$(pwd)"')],
    [".claude/settings.json", hooks("code --wait --diff $LOCAL $REMOTE")],
    [".claude/settings.json", hooks("go test ./... && go vet ./...")],
    ...[
      'php -l "$(jq -r .tool_input.file_path)"',
      '[ "$ext" = "py" ] && ruff check src "$f"',
      'php -d display_errors=1 -l "$f"',
      'f=$(jq -r .tool_input.file_path); case "$f" in *.rb) ruby -c "$f";; esac',
      'perl -wc "$f" && node -c "$f" && node --check "$f"',
      `perl -pi -e 's/ +$//' "$f"`,
      `python3 -c 'import sys, json' "$f"`,
      `node -e 'console.log(1)' "$f"`,
    ].map((command) => [".claude/settings.json", hooks(command)] as const),
  ])("name no file by a rule, a matcher or a whole folder: %s, %s (D3)", async (name, text) => {
    for (const file of [
      "src/a.ts",
      "src/index.ts",
      "lib/new.ts",
      "package.json",
      "test/e2e_test.go",
      "hook.js",
      "exit.js",
      "server.js",
    ])
      expect([file, await isNamed(name, text, file)]).toEqual([file, false]);
  });

  it.each([
    [".claude/settings.json", hooks('exec "$NODE" "$CLAUDE_PROJECT_DIR"')],
    [".claude/settings.json", hooks("NODE_ENV=production $(command -v node) $PWD")],
    [".claude/settings.json", hooks("case $F in *.js) timeout 10 $NODE $PWD;; esac")],
    [".claude/settings.json", JSON.stringify({ language: "english", apiKeyHelper: "$NODE $PWD" })],
    [".claude/agents/a.md", '---\nhooks:\n  Stop:\n    - type: x\n      command: "$NODE" "$PWD"\n---\n'],
  ])("may run the folder's own program by two variables: %s, %s (D3)", async (name, text) => {
    for (const file of ["index.js", "package.json", "__main__.py", "main.go"])
      expect([file, await isNamed(name, text, file)]).toEqual([file, true]);
  });

  it.each([
    ["plugin.json", { hooks: "./conf/h.json" }, "conf/h.json", hooks("$CLAUDE_PLUGIN_ROOT/scripts/x.sh")],
    ["plugin.json", { monitors: true }, "monitors/monitors.json", '[{ "command": "sh scripts/x.sh" }]'],
  ])("name what a plugin starts by another file: %s, %j, %s (D3)", async (manifest, value, name, text) => {
    const files = [join(root, "plug/.claude-plugin", manifest), join(root, "plug", name)];
    for (const file of files) mkdirSync(dirname(file), { recursive: true });
    writeFileSync(files[0] ?? "", JSON.stringify(value));
    writeFileSync(files[1] ?? "", text);
    const listed = files.filter((file) => !file.includes("/conf/"));
    const question = { root, cwd: root, settings: null, projects: [root], listed };
    const environment = { HOME: join(root, "home") };
    const isMeant = (path: string) =>
      isNamedBySettings({ ...question, environment, written: [join(root, path).toLowerCase()] });
    expect(await isMeant("plug/scripts/x.sh")).toBe(true);
    expect(await isMeant("plug/scripts/y.sh")).toBe(false);
    for (const file of files) rmSync(file);
  });

  it("may have so many values that each write asks (D3)", async () => {
    const many = JSON.stringify({ a: Array(500_000).fill(1) });
    expect(await isNamed("hooks/hooks.json", many, "src/a.ts")).toBe(true);
  });

  it.each([
    ["config/settings.json", true],
    ["config/skills/x/SKILL.md", true],
    ["config/Rules/a.md", true],
    ["config-of-the-app/a.ts", false],
    ["src/a.ts", false],
  ])("may lie in a folder of any name: %s (D3)", async (file, isThere) => {
    mkdirSync(join(root, "config"), { recursive: true });
    const question = { root, cwd: root, settings: null, projects: [root], listed: [] };
    const environment = { HOME: join(root, "home"), CLAUDE_CONFIG_DIR: join(root, "config") };
    const written = [join(root, file).toLowerCase()];
    expect(await isNamedBySettings({ ...question, environment, written })).toBe(isThere);
  });

  it.each([
    [{ BASH_ENV: "ROOT/tools/env" }, "tools/env"],
    [{ ENV: "$HOME/../tools/env" }, "tools/env"],
    [{ ENV: "test" }, "test", "test.js"],
    [{ BASH_ENV: "tools/env" }, "tools/env", "tools/env.ts"],
    [{ CLAUDE_ENV_FILE: "ROOT/tools/new.sh" }, "tools/new.sh"],
    [{ NODE_OPTIONS: "--max-old-space-size=4096 --require ./tools/x.cjs" }, "tools/x.cjs"],
    [{ NODE_OPTIONS: "--import=./tools" }, "tools/index.ts"],
    [{ PYTHONSTARTUP: "tools/start.py" }, "tools/start.py"],
    [{ GIT_CONFIG_GLOBAL: "ROOT/conf/git" }, "conf/git"],
    [{ GIT_SSH_COMMAND: "ssh -F conf/ssh -i /key" }, "conf/ssh"],
    [{ LD_PRELOAD: "/lib/a.so:ROOT/lib/b.so" }, "lib/b.so"],
    [{ RIPGREP_CONFIG_PATH: "a:b.conf" }, "a:b.conf"],
    [{ XDG_CONFIG_HOME: "ROOT/conf" }, "conf/fish/config.fish"],
    [{ XDG_CONFIG_HOME: "ROOT" }, "fish/config.fish", "/../other/a.ts"],
    [{ CARGO_HOME: "~/../conf" }, "conf/config.toml"],
    [{ SOMETHING_NEW: "--load=ROOT/tools/new" }, "tools/new"],
    [{ ANSIBLE_CONFIG: "tools/a.cfg" }, "tools/a.cfg"],
    [{ SHELL: "ROOT/tools/sh" }, "tools/sh"],
    [{ npm_config_script_shell: "ROOT/tools/sh" }, "tools/sh"],
    [{ GIT_CONFIG_COUNT: "1", GIT_CONFIG_VALUE_0: "ROOT/conf" }, "conf/pre-commit"],
    [{ GIT_CONFIG_PARAMETERS: "'core.fsmonitor=./tools/f.sh'" }, "tools/f.sh"],
    [{ GIT_DIR: "tools" }, "tools/config"],
    [{ PYTHONPATH: "lib" }, "lib/sitecustomize.py", "lib/a.py"],
    [{ PYTHONPATH: "ROOT" }, "usercustomize/__init__.py"],
    [{ PYTHONPATH: "lib" }, "lib/encodings/__init__.py", "lib/codings/__init__.py"],
    [{ LD_LIBRARY_PATH: "ROOT/lib" }, "lib/libc.so.6", "lib/a.c"],
    [{ PATH: "ROOT/tools:/usr/bin" }, "tools/anything"],
    [{ PATH: ":/usr/bin:/bin" }, "sh"],
    [{ PATH: "ROOT:/usr/bin:/bin" }, "sh", "lib/sh"],
    [{ RUBYOPT: "-r./tools/x -Ilib" }, "lib/set.rb"],
    [{ RUBYOPT: "-r./tools/x" }, "tools/x.rb"],
    [{ JAVA_TOOL_OPTIONS: "@tools/args" }, "tools/args"],
    [{ EDITOR: "vim -Stools/s.vim" }, "tools/s.vim"],
    [{ BASH_ENV: "$" + "{FOO:-tools/x.sh}" }, "tools/x.sh"],
    [{ BASH_ENV: "`pwd`/tools/x.sh" }, "tools/x.sh"],
    [{ NODE_OPTIONS: "--import=file://ROOT/tools/%78.mjs" }, "tools/x.mjs"],
    [{ NODE_OPTIONS: "--require ./tools" }, "tools/package.json"],
    [{ NODE_OPTIONS: "--require hooked" }, "node_modules/hooked/index.js", "hooked/index.js"],
    [{ HOME: "ROOT" }, ".config/app"],
    [{ HOME: "ROOT" }, "bin/git"],
  ])("are those of its environment too: %j names %s (D3)", async (variables, file, other = "src/a.ts") => {
    const values = Object.entries(variables).map(([name, value]) => [name, value.replaceAll("ROOT", root)]);
    const environment = { HOME: join(root, "home"), ...Object.fromEntries(values) };
    const question = { root, cwd: root, settings: null, projects: [], listed: [], environment };
    const isMeant = (name: string) =>
      isNamedBySettings({ ...question, written: [join(root, name).toLowerCase()] });
    expect(await isMeant(file)).toBe(true);
    expect(await isMeant(other)).toBe(false);
  });

  it.each([
    [{ PWD: "ROOT", OLDPWD: "ROOT/src", INIT_CWD: "ROOT/src" }],
    [{ NODE_ENV: "src", EDITOR: "src --wait", npm_package_json: "ROOT/src/a.ts" }],
    [{ PATH: "/usr/bin:/bin", PYTHONPATH: "src", NODE_PATH: "ROOT/src", DATA_DIR: "ROOT/src" }],
    [{ LS_COLORS: "*.ts=01;31:src=01", npm_config_user_agent: "npm/10 node/v24 src workspaces/false" }],
    [{ PROJECT_CONFIG_DIR: "ROOT", API_TOKEN: "x/src/a.ts" }],
  ])("are none where a variable says where somebody works: %j (D3)", async (variables) => {
    const values = Object.entries(variables).map(([name, value]) => [name, value.replaceAll("ROOT", root)]);
    const environment = agentEnvironment({ HOME: join(root, "home"), ...Object.fromEntries(values) });
    const question = { root, cwd: root, settings: null, projects: [], listed: [], environment };
    for (const name of ["src/a.ts", "src/new/b.ts", "new.ts"])
      expect(await isNamedBySettings({ ...question, written: [join(root, name).toLowerCase()] })).toBe(false);
  });

  it.each([
    [{ MY_TOOLS: "/opt" }, "tools/fmt.sh", false],
    [{ MY_TOOLS: join(root, "tools") }, "tools/fmt.sh", true],
    [{ MY_TOOLS: join(root, "tools"), PATH: "/usr/bin:/bin" }, "tools/sh", false],
    [{ MY_TOOLS: "/opt", OTHER: join(root, "tools"), PATH: join(root, "bin") }, "tools/fmt.sh", false],
  ])("name files in folders of variables that are set elsewhere: %j, %s (D3)", async (variables, file, is) => {
    const command = join(root, ".claude/settings.json");
    writeFileSync(command, hooks("sh $MY_TOOLS/fmt.sh"));
    const local = join(root, ".claude/settings.local.json");
    const question = { root, cwd: root, settings: null, projects: [root], listed: [command, local] };
    const home = { HOME: join(root, "home") };
    const written = [join(root, file).toLowerCase()];
    const environment = agentEnvironment({ ...home, ...variables });
    expect(await isNamedBySettings({ ...question, environment, written })).toBe(is);
    writeFileSync(local, JSON.stringify({ env: { MY_TOOLS: variables.MY_TOOLS } }));
    expect(await isNamedBySettings({ ...question, environment: home, written })).toBe(is);
    rmSync(command);
    rmSync(local);
  });

  it.each<readonly [string, Readonly<Record<string, string>>, Readonly<Record<string, string>>]>([
    ["python3 $PYTHONPATH/fmt.sh", { PYTHONPATH: "ROOT/tools" }, {}],
    ["sh $HOME/fmt.sh", {}, { HOME: join(root, "tools") }],
    ["sh $A/fmt.sh", { TOOLS: "ROOT/tools" }, { A: "$TOOLS" }],
  ])("name files in folders of any variable: %s, %j, %j (D3)", async (command, variables, env) => {
    const settings = join(root, ".claude/settings.json");
    writeFileSync(settings, JSON.stringify({ env, ...JSON.parse(hooks(command)) }));
    const values = Object.entries(variables).map(([name, value]) => [name, value.replaceAll("ROOT", root)]);
    const environment = agentEnvironment({ HOME: join(root, "home"), ...Object.fromEntries(values) });
    const question = { root, cwd: root, settings: null, projects: [root], listed: [settings], environment };
    const written = (name: string) => [join(root, name).toLowerCase()];
    expect(await isNamedBySettings({ ...question, written: written("tools/fmt.sh") })).toBe(true);
    expect(await isNamedBySettings({ ...question, written: written("src/a.ts") })).toBe(false);
    rmSync(settings);
  });

  it("keep a variable that other settings set to nothing (D3)", async () => {
    const files = [".claude/settings.json", "x/hooks/hooks.json"].map((name) => join(root, name));
    for (const [at, PATH] of ["./conf:/usr/bin", ""].entries()) {
      mkdirSync(dirname(files[at] ?? ""), { recursive: true });
      writeFileSync(files[at] ?? "", JSON.stringify({ env: { PATH } }));
    }
    const question = { root, cwd: root, settings: null, projects: [root], listed: files };
    const environment = { HOME: join(root, "home") };
    const written = [join(root, "conf/git").toLowerCase()];
    expect(await isNamedBySettings({ ...question, environment, written })).toBe(true);
    for (const file of files) rmSync(file);
  });

  it("may name any file where they set very long variables (D2)", async () => {
    const start = performance.now();
    const long = JSON.stringify({ env: { NODE_OPTIONS: "$(".repeat(200_000) } });
    expect(await isNamed("x/hooks/hooks.json", long, "src/a.ts")).toBe(true);
    expect(performance.now() - start).toBeLessThan(1000);
  });

  it("leave the folder free that an empty part of PATH means, but for another program's name (D3)", async () => {
    const environment = { HOME: join(root, "home"), PATH: "/usr/bin:/bin:" };
    const cwd = join(root, "src");
    const question = { root, cwd, settings: null, projects: [], listed: [], environment };
    const isMeant = (name: string) =>
      isNamedBySettings({ ...question, written: [join(root, name).toLowerCase()] });
    expect([await isMeant("src/a.ts"), await isMeant("src/sh"), await isMeant("lib/sh")]).toEqual([
      false,
      true,
      false,
    ]);
  });

  it("are no whole folder of settings in which the project lies (D3)", async () => {
    const environment = { HOME: join(root, "home"), XDG_CONFIG_HOME: dirname(root) };
    const question = { root, cwd: root, settings: null, projects: [], listed: [], environment };
    const written = [join(root, "src/a.ts").toLowerCase()];
    expect(await isNamedBySettings({ ...question, written })).toBe(false);
  });

  it("may have aliases that repeat a long text (D3)", async () => {
    const uses = `  u: [${"*b,".repeat(40)}]`;
    const definition = (length: number): string =>
      `---\nname: &a '${"x".repeat(length)}'\nhooks:\n  b: &b { x: *a }\n${uses}\n---\n`;
    for (const [length, asks] of [
      [2, false],
      [4_000, true],
      [1_000_000, false],
    ] as const)
      expect([length, await isNamed(".claude/agents/a.md", definition(length), "src/a.ts")]).toEqual([
        length,
        asks,
      ]);
  });

  it("may name any file where they are too long or too deep (D2)", async () => {
    const texts = [`{"a":"${"x".repeat(1_100_000)}"}`, `${'{"a":'.repeat(40)}1${"}".repeat(40)}`];
    for (const text of texts) expect(await isNamed(".mcp.json", text, "src/a.ts")).toBe(true);
  });
});
