/** What git runs by a repository's own settings, under the environment that `init` starts git's server with. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startLine } from "../../onboarding/configurations/fill-server.ts";
import { gatherServers } from "../../onboarding/configurations/gather-servers.ts";
import { classifyServer } from "../../onboarding/index.ts";

type Found = Parameters<typeof gatherServers>[0][number]["transport"];

const stdio = (command: string, args: readonly string[], env: Record<string, string> = {}): Found => ({
  kind: "stdio",
  command,
  args,
  env,
  cwd: null,
});
const gather = (transport: Found) => {
  const [server] = gatherServers([{ name: "git", place: "a file", transport }], {});
  if (server?.transport.kind !== "stdio") throw new Error("It was not found.");
  return { server, transport: server.transport };
};

/** The settings that a process of git gets from an environment. */
const settingsIn = (env: Readonly<Record<string, string>>) => ({
  PATH: process.env.PATH ?? "",
  HOME: tmpdir(),
  ...env,
});

it("git's server runs no program of a repository that lies in another one, nor by `core.fsmonitor` (X13)", () => {
  const folder = mkdtempSync(join(tmpdir(), "sluicegate-git-"));
  try {
    const ran = join(folder, "ran");
    const monitor = `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = "touch ${ran}; false"\n`;
    // A folder of ordinary files, as a clone may hold, is a repository to git.
    const inner = join(folder, "fixtures");
    for (const name of ["objects", "refs"]) mkdirSync(join(inner, name), { recursive: true });
    writeFileSync(join(inner, "HEAD"), "ref: refs/heads/main\n");
    writeFileSync(join(inner, "config"), `${monitor}\tworktree = .\n`);
    const own = join(folder, "own");
    spawnSync("git", ["init", "-q", own]);
    writeFileSync(join(own, ".git/config"), monitor);
    const runs = (env: Readonly<Record<string, string>>, cwd: string): boolean => {
      rmSync(ran, { force: true });
      spawnSync("git", ["status"], { cwd, env: settingsIn(env) });
      return existsSync(ran);
    };
    expect([runs({}, inner), runs({}, own)]).toEqual([true, true]);
    const { transport } = gather(stdio("uvx", ["mcp-server-git"]));
    expect([runs(transport.env, inner), runs(transport.env, own)]).toEqual([false, false]);
    expect(spawnSync("git", ["status"], { cwd: own, env: settingsIn(transport.env) }).status).toBe(0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it("git's image gets the same settings, and a question shows them (X13)", () => {
  const { server, transport } = gather(stdio("docker", ["run", "-i", "--rm", "mcp/git"]));
  expect(transport.args.slice(0, 3)).toEqual(["run", "-e", "GIT_CONFIG_COUNT=2"]);
  expect(transport.args.slice(-3)).toEqual(["-i", "--rm", "mcp/git"]);
  expect(startLine(server, {})).toContain("-e GIT_CONFIG_KEY_0=safe.bareRepository");
  const plain = gather(stdio("mcp-server-git", []));
  expect(startLine(plain.server, {})).toContain("GIT_CONFIG_VALUE_0=explicit");
});

it("git's server is asked about each time where it is started without these settings (X13)", () => {
  const statusOf = (transport: Found) => {
    const { pack, tools } = classifyServer({ transport, tools: null });
    return [pack, tools.get("git_status")?.approval, tools.get("git_create_branch")?.approval];
  };
  expect(statusOf(stdio("uvx", ["mcp-server-git"]))).toEqual(["git", "always", "always"]);
  expect(statusOf(stdio("docker", ["run", "mcp/git"]))).toEqual(["git", "always", "always"]);
  for (const found of [stdio("uvx", ["mcp-server-git"]), stdio("docker", ["run", "--rm", "mcp/git"])])
    expect(statusOf(gather(found).transport)).toEqual([
      "git",
      expect.stringContaining('startsWith("-")'),
      "never",
    ]);
});

it.each([
  ["GIT_EXTERNAL_DIFF", "evil"],
  ["GIT_CONFIG_COUNT", "1"],
  ["GIT_CONFIG_PARAMETERS", "'core.fsmonitor=evil'"],
  ["GIT_SSH_COMMAND", "evil"],
])("git's server is a stranger where %s says what git runs (X13)", (name, value) => {
  const { transport } = gather(stdio("uvx", ["mcp-server-git"], { [name]: value }));
  expect(classifyServer({ transport, tools: null }).pack).toBeNull();
  const image = gather(stdio("docker", ["run", "-e", `${name}=${value}`, "mcp/git"])).transport;
  expect(classifyServer({ transport: image, tools: null }).pack).toBeNull();
});
