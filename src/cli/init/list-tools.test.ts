import { expect, it } from "vitest";
import { listTools } from "./list-tools.ts";

const server = (id: string, command: string, ...args: readonly string[]) => ({
  id,
  transport: { kind: "stdio" as const, command, args, env: {}, cwd: import.meta.dirname },
});

const failing = (id: string, written: string) =>
  server(id, process.execPath, "-e", `console.error(${JSON.stringify(written)}); process.exit(1)`);

it("says what is likely behind a server that doesn't start, and nothing of what it wrote", async () => {
  const listed = await listTools([
    failing("certificate", "npm error code SELF_SIGNED_CERT_IN_CHAIN hunter2"),
    failing("python", "ssl.SSLCertVerificationError: certificate verify failed hunter2"),
    failing("network", "npm error code ENOTFOUND hunter2"),
    failing("package", "npm error code E404 hunter2"),
    failing("module", "Error: Cannot find module 'hunter2'"),
    failing("other", "hunter2"),
    server("command", "no-such-program-anywhere"),
  ]);
  const reasons = Object.fromEntries(
    [...listed].map(([id, one]) => [id, one.kind === "failed" ? one.reason : one.kind]),
  );
  expect(reasons).toEqual({
    certificate: expect.stringContaining("set NODE_EXTRA_CA_CERTS"),
    python: expect.stringContaining("certificate"),
    network: expect.stringContaining("set HTTPS_PROXY"),
    package: expect.stringContaining("was not found"),
    module: expect.stringContaining("isn't there"),
    other: expect.stringMatching(/^its process .* exit code 1$/),
    command: expect.stringContaining("put it on the PATH"),
  });
  expect(JSON.stringify(reasons)).not.toContain("hunter2");
});
