/** What is published works for those who install it: the packed file, in a project that has nothing else. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type InstalledPackage, installPackage, ROOT } from "./installed-package.ts";

/** Adapters are one file each; this one runs its SDK, the others only know its types. */
const NEEDS_ITS_SDK = "./langchain";
const ADAPTERS = [
  "./ai-sdk",
  "./claude-agent",
  "./functions",
  NEEDS_ITS_SDK,
  "./mcp-client",
  "./openai-agents",
];
const SUBPATHS = [
  ".",
  ...ADAPTERS,
  "./agents",
  "./classify",
  "./config",
  "./connectors",
  "./core",
  "./detectors",
  "./errors",
  "./gateway",
  "./session",
  "./store",
  "./workspace",
];
const DEPENDENCIES = [
  "@hono/node-server",
  "@marcbachmann/cel-js",
  "@modelcontextprotocol/client",
  "@modelcontextprotocol/server",
  "@readme/openapi-parser",
  "@secretlint/core",
  "@secretlint/secretlint-rule-preset-recommend",
  "@vscode/ripgrep",
  "diff",
  "hono",
  "jose",
  "yaml",
  "zod",
];
const PEERS = [
  "@anthropic-ai/claude-agent-sdk",
  "@langchain/core",
  "@langchain/langgraph",
  "@openai/agents",
  "@opentelemetry/api",
  "@opentelemetry/exporter-metrics-otlp-http",
  "@opentelemetry/exporter-trace-otlp-http",
  "@opentelemetry/resources",
  "@opentelemetry/sdk-metrics",
  "@opentelemetry/sdk-trace-base",
  "ai",
  "langchain",
  "libpg-query",
  "pg",
];

const readJson = (file: string): any => JSON.parse(readFileSync(file, "utf8"));
const sources = readJson(join(ROOT, "package.json"));
/** What adapters are tried with; one SDK is too big to be a dependency of the tests. */
const TRIED: Readonly<Record<string, string>> = {
  ...sources.devDependencies,
  ...readJson(join(ROOT, "test/claude-agent/package.json")).dependencies,
};

let installed: InstalledPackage;
beforeAll(() => {
  installed = installPackage();
}, 120_000);
afterAll(() => installed?.remove());

const inPackage = (path: string): string => join(installed.folder, path);
const inProject = (path: string): string => join(installed.project, path);
const readCode = (): { path: string; code: string }[] =>
  installed.files
    .filter((path) => /^lib\/.*\.(js|d\.ts)$/.test(path))
    .map((path) => ({
      path,
      code: readFileSync(inPackage(path), "utf8").replaceAll(/^\s*(\*|\/[/*]).*/gm, ""),
    }));

describe("the packed file", () => {
  it("has a manifest of its own: compiled entries with types, exact dependencies, nothing private", () => {
    const manifest = readJson(inPackage("package.json"));
    expect(manifest).toEqual({
      name: "sluicegate",
      version: sources.version,
      description: sources.description,
      license: "Apache-2.0",
      type: "module",
      engines: { node: ">=24" },
      sideEffects: false,
      exports: Object.fromEntries(
        SUBPATHS.map((subpath) => {
          const entry = sources.exports[subpath].replace("./src/", "./lib/").replace(/\.ts$/, "");
          return [subpath, { types: `${entry}.d.ts`, default: `${entry}.js` }];
        }),
      ),
      bin: { sluicegate: "lib/cli/start.js" },
      files: ["lib", "console", "docs", "examples", "CHANGELOG.md", "SECURITY.md", "sbom.cdx.json"],
      dependencies: Object.fromEntries(DEPENDENCIES.map((name) => [name, sources.dependencies[name]])),
      peerDependencies: Object.fromEntries(PEERS.map((name) => [name, `^${TRIED[name]}`])),
      peerDependenciesMeta: Object.fromEntries(PEERS.map((name) => [name, { optional: true }])),
    });
    expect(sources.private, "the checkout stays private").toBe(true);
  });

  it("holds code, declarations, pages and the library's examples, and no test", () => {
    const allowed = [
      /^lib\/([a-z-]+\/)*[a-z-]+\d*\.(js|d\.ts)$/,
      /^lib\/cli\/THIRD-PARTY\.txt$/,
      /^console\/dist\/(index\.html|THIRD-PARTY\.txt|assets\/[\w.-]+\.(js|css|woff2|svg|png))$/,
      /^docs\/[a-z-]+\.(md|svg)$/,
      /^examples\/library\/[a-z-]+\.(ts|yaml)$/,
      /^(package\.json|sbom\.cdx\.json|README\.md|CHANGELOG\.md|SECURITY\.md|LICENSE)$/,
    ];
    expect(installed.files.filter((path) => !allowed.some((rule) => rule.test(path)))).toEqual([]);
    expect(installed.files.filter((path) => /test|fixture|\bspec\b|vitest/.test(path))).toEqual([]);
    for (const page of ["README.md", "LICENSE", "CHANGELOG.md", "docs/policy.md"])
      expect(installed.files).toContain(page);
  });

  it("imports no TypeScript, and no file that isn't there", () => {
    const broken = readCode().flatMap(({ path, code }) =>
      [...code.matchAll(/^(?:import|export) (?:[^"\n]* from )?"(\.[^"]+)";$|\bimport\("(\.[^"]+)"\)/gm)]
        .map(([, named, inline]) => named ?? inline ?? "")
        .filter((target) => !target.endsWith(".js") || !existsSync(resolve(inPackage(dirname(path)), target)))
        .map((target) => `${path} → ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it("finds nothing by where its code lies but its version, its cache, the console and its processes and threads", () => {
    const found = readCode().filter(({ code }) =>
      /new URL\([^)]*\bimport\.meta\b|\bimport\.meta\.(dirname|filename|resolve)|= import\.meta\.url/.test(
        code,
      ),
    );
    expect(found.map(({ path }) => path)).toEqual([
      "lib/cli/detectors.js",
      "lib/cli/git.js",
      "lib/cli/main.js",
      "lib/cli/postgres-engine.js",
      "lib/cli/providers.js",
      "lib/cli/run-gateway.js",
      "lib/cli/sqlite-process.js",
      "lib/cli/sqlite.js",
      "lib/cli/version.js",
      "lib/detectors/scanner.js",
      "lib/providers/openapi/exchange/answer-reader.js",
      "lib/providers/sql/postgres/parsing/statement-reader.js",
      "lib/providers/sql/sqlite/reading-process.js",
      "lib/providers/sql/sqlite/sqlite-process.js",
      "lib/providers/workspace/git/runner.js",
      "lib/stores/sqlite/threaded-writer.js",
    ]);
  });

  it("links only to pages that came along, and names the licence of every package inside it", () => {
    const lost = installed.files
      .filter((path) => path.endsWith(".md"))
      .flatMap((page) =>
        [...readFileSync(inPackage(page), "utf8").matchAll(/\]\((?!https?:)([^)#\s]+)[^)]*\)/g)]
          .map(([, target = ""]) => target)
          .filter((target) => !existsSync(resolve(inPackage(dirname(page)), target)))
          .map((target) => `${page} → ${target}`),
      );
    expect(lost).toEqual([]);
    const { components } = readJson(inPackage("sbom.cdx.json"));
    const named = components.map(({ group, name }: any) => (group ? `${group}/${name}` : name));
    expect(DEPENDENCIES.filter((name) => !named.includes(name))).toEqual([]);
    const notices = readFileSync(inPackage("lib/cli/THIRD-PARTY.txt"), "utf8");
    const ofConsole = readFileSync(inPackage("console/dist/THIRD-PARTY.txt"), "utf8");
    for (const name of [
      "react",
      "react-dom",
      "scheduler",
      "@tanstack/react-router",
      "@fontsource-variable/geist",
    ])
      expect(ofConsole).toMatch(
        new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\((MIT|OFL-1\\.1)\\)\n\n[^]*?Copyright`, "m"),
      );
    // `content-type` lies inside a file of the MCP package; ripgrep and secretlint aren't in the bundle.
    const inside = DEPENDENCIES.filter((name) => !/^@(vscode|secretlint)\//.test(name));
    for (const name of ["commander", "content-type", ...inside])
      expect(notices).toMatch(
        new RegExp(
          `^${name} \\d+\\.\\d+\\.\\d+ \\((MIT|ISC|BSD-3-Clause|Apache-2\\.0)\\)\n\n[^]*?Copyright`,
          "m",
        ),
      );
  });

  it("passes publint, strictly", async () => {
    const file = readFileSync(installed.tarball);
    const tarball = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
    const { messages } = await publint({ pack: { tarball }, strict: true });
    expect(messages).toEqual([]);
  });

  it("brings no native add-on and no install script", () => {
    const { packages } = readJson(inProject("package-lock.json"));
    expect(Object.keys(packages).length).toBeGreaterThan(DEPENDENCIES.length);
    const scripts = Object.entries<any>(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
    expect(scripts.map(([path]) => path)).toEqual([]);
    expect(globSync("node_modules/**/{binding.gyp,*.node,prebuilds}", { cwd: installed.project })).toEqual(
      [],
    );
    const runtime = readJson(join(ROOT, "package-lock.json")).packages;
    expect(runtimeTree(runtime).filter((path) => runtime[path].hasInstallScript)).toEqual([]);
  });
});

/** The places in the checkout's lockfile that the package's dependencies reach, as Node would look them up. */
function runtimeTree(packages: Readonly<Record<string, any>>): readonly string[] {
  const reached = new Set<string>();
  const visit = (from: string, name: string): void => {
    for (let base: string | undefined = from; base !== undefined; base = parentOf(base)) {
      const path = `${base === "" ? "" : `${base}/`}node_modules/${name}`;
      if (!Object.hasOwn(packages, path)) continue;
      if (reached.has(path)) return;
      reached.add(path);
      const { dependencies, optionalDependencies } = packages[path];
      for (const next of Object.keys({ ...dependencies, ...optionalDependencies })) visit(path, next);
      return;
    }
  };
  for (const name of DEPENDENCIES) visit("", name);
  expect(reached.size).toBeGreaterThanOrEqual(DEPENDENCIES.length);
  return [...reached];
}

const parentOf = (path: string): string | undefined =>
  path === "" ? undefined : path.slice(0, Math.max(0, path.lastIndexOf("/node_modules/")));

describe("the installed package", () => {
  it("gives JavaScript every subpath, with the names that the sources export", async () => {
    const without = SUBPATHS.filter((subpath) => subpath !== NEEDS_ITS_SDK);
    const names = without.map((subpath) => subpath.replace(/^\./, "sluicegate"));
    const program = names.map(
      (name) => `console.log(JSON.stringify(Object.keys(await import("${name}")).sort()));`,
    );
    writeFileSync(inProject("every-subpath.js"), program.join("\n"));
    const printed = installed.node("every-subpath.js").trimEnd().split("\n");
    for (const [index, subpath] of without.entries()) {
      const exported = Object.keys(await import(join(ROOT, sources.exports[subpath])));
      expect(JSON.parse(printed[index] ?? ""), subpath).toEqual(exported.sort());
    }
  });

  it("installs no SDK of an adapter", () => {
    const { packages } = readJson(inProject("package-lock.json"));
    expect(PEERS.filter((name) => Object.hasOwn(packages, `node_modules/${name}`))).toEqual([]);
  });

  it("asks git about a path, by a process of its own that ends with the program (D4)", () => {
    const made = inProject("followed");
    mkdirSync(made);
    const git = (...args: string[]) => execFileSync("git", args, { cwd: made });
    git("init", "-q");
    writeFileSync(join(made, ".gitignore"), ".env\n");
    writeFileSync(join(made, ".env"), "");
    git("add", ".gitignore");
    const program = `import { checkPath } from "sluicegate/workspace";
      for (const path of [".gitignore", ".env"])
        console.log((await checkPath({ root: "followed", path, kind: "file" })).reason);`;
    writeFileSync(inProject("follows-git.js"), program);
    expect(installed.node("follows-git.js")).toBe("tracked\nignored\n");
  });

  it.each(["main.ts", "visibility.ts"])("runs the library's example %s", (program) => {
    expect(installed.node(program)).toMatch(/^ok$/m);
  });
});

describe("the installed command", () => {
  it("is found by npx, knows its version, its schema and what is wrong with a policy", () => {
    const npx = (...args: string[]): string =>
      installed.npm("exec", "--offline", "--", "sluicegate", ...args);
    expect(npx("--version")).toBe(`${sources.version}\n`);
    expect(npx("check", "sluicegate.yaml")).toMatch(/^usable: `sluicegate\.yaml` has 5 tools/);
    const command = inPackage("lib/cli/start.js");
    expect(JSON.parse(installed.node(command, "schema"))).toMatchObject({ title: "Sluicegate policy" });
    expect(
      JSON.parse(installed.node(command, "plan", "sluicegate.yaml", "web_search", "search_email", "--json")),
    ).toMatchObject({ valid: true });
  });

  it("proposes a policy for the servers of a configuration (X13)", () => {
    const command = inPackage("lib/cli/start.js");
    const home = inProject("fresh");
    mkdirSync(home);
    const memory = { command: "npx", args: ["-y", "@modelcontextprotocol/server-memory"] };
    writeFileSync(join(home, ".mcp.json"), JSON.stringify({ mcpServers: { memory } }));
    const run = (...args: string[]): string =>
      execFileSync(process.execPath, [command, ...args], {
        cwd: home,
        env: { PATH: "", HOME: home },
        encoding: "utf8",
      });
    run("init", "--no-start");
    expect(run("check", "sluicegate.yaml")).toMatch(/^usable: /);
    expect(run("explain", "sluicegate.yaml", "--tool", "read_graph")).toMatch(/^allow/);
  });

  it("tells a Node that is too old what to do", () => {
    const old = `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.1.0"}})`;
    const start = (): string => installed.node("--import", old, inPackage("lib/cli/start.js"), "--version");
    expect(start).toThrow(
      expect.objectContaining({
        status: 2,
        stdout: "",
        stderr: expect.stringMatching(
          /^error: Node 20\.1\.0 can't run `sluicegate`\.\n {2}why: It needs Node 24 or later.*\n {2}fix: .*\n$/,
        ),
      }),
    );
    expect(readFileSync(inPackage("lib/cli/start.js"), "utf8")).not.toMatch(/^import |\bawait\b/m);
  });

  it("serves a gateway, with a server behind it that is the package too, until it is told to end", async () => {
    const command = inPackage("lib/cli/start.js");
    const inner = { command: process.execPath, args: [command, "mcp", "--store", "sqlite:inner.db"] };
    writeFileSync(
      inProject("gateway.yaml"),
      JSON.stringify({
        version: 1,
        servers: { inner: { ...inner, tools: { "*": { permissions: ["read"] } } } },
        databases: { notes: { type: "sqlite", path: "notes.db", sensitivity: "internal" } },
        detectors: { secrets: "secret" },
      }),
    );
    const notes = new DatabaseSync(inProject("notes.db"));
    notes.exec("CREATE TABLE notes (body TEXT)");
    notes.prepare("INSERT INTO notes VALUES (?)").run(`ghp_${"k3Jf9QzL0xVb7NwTr2Yc"}${"8sHd5GmP1aEu6RoX"}`);
    notes.close();
    const args = [command, "serve", "--config", "gateway.yaml", "--port", "0", "--json"];
    const child = spawn(process.execPath, args, { cwd: installed.project });
    const ended = once(child, "close");
    const complaints = text(child.stderr);
    try {
      const { url, console: page, session_id, session_token } = await firstDocument(child.stdout);
      expect(page).toBe(`${url}/`);
      await expectConsole(page);
      expect(await (await fetch(`${url}/healthz`)).json()).toMatchObject({ version: sources.version });
      if (process.platform === "linux") {
        const words = readFileSync(`/proc/${child.pid}/cmdline`, "utf8").split("\0");
        expect(words.filter((word) => word.startsWith("--max-semi-space-size"))).toEqual([
          "--max-semi-space-size=8",
        ]);
      }
      const headers = { authorization: `Bearer ${session_token}`, "content-type": "application/json" };
      const call = async (tool: string, args: object) => {
        const body = JSON.stringify({ tool, arguments: args });
        const answer = await fetch(`${url}/v1/session/${session_id}/call`, { method: "POST", headers, body });
        return answer.json();
      };
      expect(await call("mcp__inner__sluicegate_manifest", {})).toMatchObject({ effect: "allow" });
      // A process of its own reads the database, and a thread of its own looks into what it gave.
      expect(await call("mcp__notes__query", { sql: "SELECT body FROM notes" })).toMatchObject({
        effect: "allow",
        result: { structuredContent: { row_count: 1 } },
        label: { level: "secret" },
      });
    } finally {
      child.kill("SIGTERM");
    }
    expect(await ended, await complaints).toEqual([0, null]);
  });

  it("speaks MCP over stdio", async () => {
    const client = new Client({ name: "consumer", version: "1.0.0" });
    const args = [inPackage("lib/cli/start.js"), "mcp"];
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, cwd: installed.project, stderr: "ignore" }),
    );
    try {
      expect(client.getServerVersion()).toMatchObject({ version: sources.version });
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain("sluicegate_check_plan");
    } finally {
      await client.close();
    }
  });
});

/** The page, and all that it names, comes from the package, without a token. */
async function expectConsole(address: string): Promise<void> {
  const page = await fetch(address);
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none';/);
  const assets = [...(await page.text()).matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(
    ([, at = ""]) => at,
  );
  expect(assets.map((at) => at.split(".").at(-1)).sort()).toEqual(expect.arrayContaining(["css", "js"]));
  for (const at of assets) {
    const asset = await fetch(new URL(at, address));
    expect([at, asset.status]).toEqual([at, 200]);
    expect(await asset.text(), "React's build for developers").not.toMatch(/Download the React DevTools/);
  }
  expect((await fetch(new URL("/THIRD-PARTY.txt", address))).status).toBe(200);
}

/** The first JSON document that a program prints, as soon as it is whole. */
async function firstDocument(output: NodeJS.ReadableStream): Promise<any> {
  let printed = "";
  for await (const chunk of output) {
    printed += chunk;
    if (printed.endsWith("\n}\n")) return JSON.parse(printed);
  }
  throw new Error(`It ended after printing: ${printed}`);
}

describe("the build", () => {
  it("cleans nothing but its own folder", () => {
    const before = readdirSync(installed.project);
    const build = (): string => installed.node(join(ROOT, "scripts/build.ts"), installed.project);
    expect(build).toThrow(/is not empty/);
    expect(readdirSync(installed.project)).toEqual(before);
  });
});
