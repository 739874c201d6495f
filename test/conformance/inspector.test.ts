/** The Inspector's command line as a client of the gateway, in both eras. Its install script is never needed. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningGateway } from "../scenarios/running-gateway.ts";
import { type GatedSession, openGatedSession, startAllowAllGateway } from "./allow-all.ts";
import { type FixtureServer, startFixtureServer } from "./fixture-server.ts";

const INSPECTOR = resolve(
  import.meta.dirname,
  "../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
);

let fixture: FixtureServer;
let gate: RunningGateway;
let session: GatedSession;
const home = mkdtempSync(join(tmpdir(), "inspector-"));

beforeAll(async () => {
  fixture = await startFixtureServer();
  gate = await startAllowAllGateway(`url: "${fixture.url}"`);
  session = await openGatedSession(gate);
});
afterAll(async () => {
  await gate.stop();
  await fixture.close();
  rmSync(home, { recursive: true, force: true });
});

/** What it prints, as JSON; rejects with what it complained of. */
function inspect(era: string, token: string, ...args: string[]): Promise<any> {
  const reached = ["--server-url", session.url, "--transport", "http", "--protocol-era", era];
  const header = ["--header", `Authorization: Bearer ${token}`];
  const quiet = ["--stored-auth-only", "--format", "json", "-q"];
  const all = [INSPECTOR, "--cli", ...reached, ...header, ...quiet, ...args];
  const env = { PATH: process.env.PATH, HOME: home };
  return new Promise((done, fail) => {
    execFile(process.execPath, all, { env, timeout: 60_000 }, (error, stdout, stderr) => {
      if (error) fail(new Error(`${error.code}: ${stderr}`));
      else done(JSON.parse(stdout));
    });
  });
}

describe.each(["legacy", "modern"])("the Inspector in the %s era", (era) => {
  it("lists the tools behind the gateway", async () => {
    const { result } = await inspect(era, session.token, "--method", "tools/list");
    const names = result.tools.map(({ name }: { name: string }) => name);
    expect(names).toContain("test_simple_text");
    expect(names).toContain("sluicegate_manifest");
  });

  it("calls a tool behind the gateway with arguments", async () => {
    const called = ["--method", "tools/call", "--tool-name", "greet", "--tool-args-json", '{"name":"Ada"}'];
    const { result } = await inspect(era, session.token, ...called);
    expect(result.content).toEqual([{ type: "text", text: "Hello, Ada!" }]);
  });

  it("is turned away without a session's token", async () => {
    await expect(inspect(era, "guessed", "--method", "tools/list")).rejects.toThrow(/401|auth|token/i);
  });
});
