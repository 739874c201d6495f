/** The recipes of docs/deployment.md for servers in a sandbox, with a server that tries to leave it. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningGateway, startGateway } from "./running-gateway.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const SERVER = join(ROOT, "test/fixtures/upstream-nosy.ts");
const folder = realpathSync(mkdtempSync(join(tmpdir(), "sluicegate-")));
const [documents, secret] = [join(folder, "documents"), join(folder, "secret.txt")];
const listener = createServer((socket) => socket.end());

const allowRead = [ROOT, documents].map((path) => `--allow-fs-read=${path}`);
const bind = (kind: string, ...paths: readonly string[]) =>
  paths.flatMap((path) => [`--${kind}`, path, path]);
const isBwrapHere = (() => {
  try {
    execFileSync("bwrap", ["--ro-bind", "/", "/", "--unshare-all", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

const SERVERS = {
  permission: ["node", "--permission", ...allowRead, SERVER],
  ...(isBwrapHere && {
    bwrap: [
      "bwrap",
      ...bind("ro-bind", "/usr", "/lib", ROOT, dirname(process.execPath)),
      ...["--ro-bind-try", "/lib64", "/lib64", "--proc", "/proc", "--dev", "/dev"],
      ...bind("bind", documents),
      ...["--unshare-all", "--die-with-parent", process.execPath, SERVER],
    ],
  }),
};

let gate: RunningGateway;
let session: string;
beforeAll(async () => {
  mkdirSync(documents);
  writeFileSync(join(documents, "open.txt"), "a document");
  writeFileSync(secret, "a secret");
  await once(listener.listen(0, "127.0.0.1"), "listening");
  const servers = Object.entries(SERVERS).map(([id, [command, ...args]]) => {
    const tools = '{ "*": { permissions: [read], source: public, sink: public } }';
    return `  ${id}: { command: ${command}, args: ${JSON.stringify(args)}, tools: ${tools} }`;
  });
  gate = await startGateway({ policy: `version: 1\nservers:\n${servers.join("\n")}\n` });
  session = (await gate.request("POST", "/v1/session", {})).body.session_id;
}, 60_000);
afterAll(async () => {
  await gate?.stop();
  listener.close();
  rmSync(folder, { recursive: true, force: true });
});

const textOf = async (server: string, tool: string, args: object): Promise<string> => {
  const call = { tool: `mcp__${server}__${tool}`, arguments: args };
  const { body } = await gate.request("POST", `/v1/session/${session}/call`, call);
  return body.result.content[0].text;
};
const port = (): number => (listener.address() as AddressInfo).port;

describe("a server that Node's permissions hold", () => {
  it("reads its documents and nothing else, and runs no program", async () => {
    expect(await textOf("permission", "read", { path: join(documents, "open.txt") })).toBe("a document");
    expect(await textOf("permission", "read", { path: secret })).toContain("restricted");
    expect(await textOf("permission", "run", {})).toContain("restricted");
  });
});

describe.skipIf(!isBwrapHere)("a server that bubblewrap holds (needs `bwrap` and user namespaces)", () => {
  it("reads its documents and nothing else, and reaches no network", async () => {
    expect(await textOf("bwrap", "read", { path: join(documents, "open.txt") })).toBe("a document");
    expect(await textOf("bwrap", "read", { path: secret })).toContain("ENOENT");
    expect(await textOf("bwrap", "reach", { port: port() })).toContain("ECONNREFUSED");
  });
});
