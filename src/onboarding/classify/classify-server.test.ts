import { describe, expect, it } from "vitest";
import { classifyServer, type DescribedTool, originOf, type Transport } from "../index.ts";
import { PACKS } from "../packs/index.ts";

const run = (command: string, args: readonly string[] = [], env: Record<string, string> = {}): Transport => ({
  kind: "stdio",
  command,
  args,
  env,
});
const at = (url: string): Transport => ({ kind: "http", url });

const FILES = "@modelcontextprotocol/server-filesystem";

describe("where a server comes from", () => {
  it.each<[string, Transport]>([
    [`npm:${FILES}`, run("npx", ["-y", FILES, "/data"])],
    [`npm:${FILES}`, run("npx", ["-y", `${FILES}@2026.8.31`, "/data"])],
    [`npm:${FILES}`, run("cmd", ["/c", "npx", "-y", `${FILES}@latest`])],
    [`npm:${FILES}`, run("pnpm", ["dlx", FILES])],
    [`npm:${FILES}`, run("node", [`/opt/app/node_modules/${FILES}/dist/index.js`, "/data"])],
    [`npm:${FILES}`, run(`C:\\app\\node_modules\\${FILES.replace("/", "\\")}\\dist\\index.js`)],
    ["program:mcp-server-filesystem", run("mcp-server-filesystem", ["/data"])],
    ["program:mcp-server-filesystem", run("/opt/app/node_modules/.bin/mcp-server-filesystem")],
    ["pypi:mcp-server-git", run("uvx", ["mcp-server-git==1.0", "--repository", "."])],
    ["image:mcp/github", run("docker", ["run", "-i", "--rm", "-e", "TOKEN", "mcp/github"])],
    [
      "image:ghcr.io/github/github-mcp-server",
      run("docker", ["run", "-i", "--env=A=b", "ghcr.io/github/github-mcp-server:1"]),
    ],
    [
      "image:mcp/filesystem",
      run("docker", [
        "run",
        "--mount",
        "type=bind,src=C:\\x,dst=/projects/x",
        "-v",
        "/a:/data:ro",
        "mcp/filesystem",
      ]),
    ],
    [`npm:${FILES}`, run("npm", ["exec", "--yes", "--", FILES, "--flag"], { NODE_ENV: "production" })],
    ["url:https://mcp.linear.app/sse", at("https://mcp.linear.app/sse")],
    ["url:https://mcp.linear.app/sse", run("npx", ["-y", "mcp-remote@latest", "https://mcp.linear.app/sse"])],
  ])("is %s", (expected, transport) => {
    const { kind, name } = originOf(transport) ?? { kind: "nowhere", name: "" };
    expect(`${kind}:${name}`).toBe(expected);
  });

  it.each<[string, Transport]>([
    ["a package of another name in front", run("npx", ["-y", "evil", FILES])],
    ["an option that may change the package", run("npx", ["--registry=http://evil", FILES])],
    ["another package's program", run("npx", ["-p", "evil", FILES])],
    ["a command line", run("npx", ["-c", FILES])],
    ["a version that is an address", run("npx", [`${FILES}@http://evil/x.tgz`])],
    ["an alias", run("npx", [`${FILES}@npm:evil`])],
    ["a repository", run("npx", ["modelcontextprotocol/server-filesystem"])],
    ["a variable that loads code", run("npx", [FILES], { NODE_OPTIONS: "--require /tmp/evil.js" })],
    ["a variable that moves the registry", run("npx", [FILES], { npm_config_registry: "http://evil" })],
    ["a variable of the image that loads code", run("docker", ["run", "-e", "NODE_OPTIONS=x", "mcp/github"])],
    ["another start of the image", run("docker", ["run", "--entrypoint", "evil", "mcp/github"])],
    ["a program at some path", run("/tmp/mcp-server-filesystem")],
    ["a shell", run("sh", ["-c", `npx -y ${FILES}`])],
    ["a path that climbs out of the packages", run("node", [`/opt/node_modules/${FILES}/../../../evil.js`])],
    ["an option of Node", run("node", ["--import=/tmp/evil.mjs", `/opt/node_modules/${FILES}/index.js`])],
    ["packages that a project brings", run("node", [`./node_modules/${FILES}/index.js`])],
    ["a program that a project brings", run("node_modules/.bin/mcp-server-filesystem")],
    [
      "an option behind the package's name",
      run("npm", ["exec", "mcp-fetch-server", "--registry=http://evil"]),
    ],
    ["another package behind it", run("npm", ["exec", "mcp-fetch-server", "--package=evil"])],
    ["a second program of a command line", run("cmd", ["/c", "npx", "-y", FILES, "&", "evil.exe"])],
    [
      "a folder over the program of an image",
      run("docker", ["run", "-v", "/tmp/evil:/app", "mcp/filesystem"]),
    ],
    ["the same, for reading", run("docker", ["run", "--volume=C:\\evil:/app:ro", "mcp/filesystem"])],
    ["a mount over it", run("docker", ["run", "--mount", "type=bind,src=/data,dst=/app", "mcp/filesystem"])],
    [
      "a mount that climbs",
      run("docker", ["run", "--mount=type=bind,src=/e,dst=/data/../app", "mcp/filesystem"]),
    ],
    [
      "two targets of a mount",
      run("docker", ["run", "--mount=src=/e,dst=/data,target=/app", "mcp/filesystem"]),
    ],
    ...[
      "HOME",
      "USERPROFILE",
      "XDG_CONFIG_HOME",
      "PIPX_HOME",
      "COREPACK_NPM_REGISTRY",
      "NODE_EXTRA_CA_CERTS",
    ].map((name): [string, Transport] => [
      `the variable ${name}`,
      run("npx", ["-y", FILES], { [name]: "/tmp/evil" }),
    ]),
    ["another host of containers", run("podman", ["run", "mcp/github"], { CONTAINER_HOST: "tcp://evil" })],
    ["an address without encryption", at("http://mcp.linear.app/sse")],
    ["another host", at("https://mcp.linear.app.evil.example/sse")],
    ["another port", at("https://mcp.linear.app:8443/sse")],
    ["a user that looks like the host", at("https://mcp.linear.app@evil.example/sse")],
  ])("is not known by %s", (_, transport) => {
    const { pack, tools } = classifyServer({
      transport,
      tools: [{ name: "read_file" }, { name: "list_issues" }],
    });
    expect(pack).toBeNull();
    expect([...tools.values()].every(({ confidence }) => confidence !== "known")).toBe(true);
  });
});

describe("a pack", () => {
  const files = (tools: readonly DescribedTool[] | null) =>
    classifyServer({ transport: run("npx", ["-y", FILES]), tools });

  it("is believed for the tools that it knows, and every other tool is guessed", () => {
    const { pack, tools } = files([{ name: "read_file" }, { name: "write_file" }, { name: "read_mind" }]);
    expect(pack).toBe("filesystem");
    expect(tools.get("read_file")).toMatchObject({ confidence: "known", permissions: ["read"], sink: null });
    expect(tools.get("read_mind")).toMatchObject({ confidence: "likely", sink: "internal" });
    expect(tools.get("constructor")).toBeUndefined();
  });

  it("lets a guessed read be asked with what the names of its server's reads hold, and no description raises that", () => {
    const sinkOfList = (tool: DescribedTool) =>
      classifyServer({ transport: run("nobody-knows"), tools: [{ name: "list_notes" }, tool] }).tools.get(
        "list_notes",
      )?.sink;
    expect(sinkOfList({ name: "read_mail" })).toBe("confidential");
    expect(sinkOfList({ name: "read_keychain" })).toBe("confidential");
    expect(sinkOfList({ name: "delete_mail" })).toBe("internal");
    expect(sinkOfList({ name: "read_page", description: "Reads mail and passwords" })).toBe("internal");
  });

  it("is not believed of a server that offers something else", () => {
    const { pack, notes, tools } = files(["read_file", "a", "b", "c"].map((name) => ({ name })));
    expect(pack).toBeNull();
    expect(notes.join()).toContain("`filesystem`");
    expect(tools.get("read_file")?.confidence).toBe("likely");
  });

  it("stands for the tools where nobody asked the server", () => {
    const { tools } = files(null);
    expect([...tools.keys()]).toContain("move_file");
    expect(classifyServer({ transport: run("npx", ["nobody-knows"]), tools: null }).tools.size).toBe(0);
  });

  it.each<[string, Partial<DescribedTool>]>([
    ["says that it reaches outside", { annotations: { openWorldHint: true } }],
    ["says that it changes something", { annotations: { readOnlyHint: false } }],
    ["takes an address", { inputSchema: { properties: { path: {}, webhook_url: {} } } }],
    ["takes a file to write to", { inputSchema: { properties: { path: {}, output_path: {} } } }],
    ["lets a program be chosen", { inputSchema: { properties: { path: {}, launchOptions: {} } } }],
  ])("gives way where a tool %s", (_, more) => {
    const { tools } = files([{ name: "read_file", ...more }, { name: "write_file" }]);
    expect(tools.get("read_file")).toMatchObject({
      confidence: "doubtful",
      sink: "public",
      approval: "always",
    });
  });

  it("asks where a tool says that it may destroy", () => {
    const { tools } = files([{ name: "create_directory", annotations: { destructiveHint: true } }]);
    expect(tools.get("create_directory")).toMatchObject({ confidence: "known", approval: "always" });
  });

  it("says a reason for each tool, takes nothing for trusted, and has a clearance for each way out", () => {
    for (const { name, tools } of PACKS) {
      for (const [tool, labels] of tools) {
        const place = `${name}.${tool}`;
        expect({ place, reasons: labels.reasons.length }).toEqual({ place, reasons: 1 });
        expect({ place, trust: labels.source?.trust ?? "untrusted" }).toEqual({ place, trust: "untrusted" });
        if (labels.permissions.includes("connect"))
          expect({ place, sink: labels.sink }).not.toEqual({ place, sink: null });
      }
    }
    const origins = PACKS.flatMap((pack) => pack.origins);
    expect(new Set(origins).size).toBe(origins.length);
  });
});
