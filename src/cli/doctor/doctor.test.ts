/** `sluicegate doctor` tries what is set up, and says what to do about what fails. */
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createFolder, createStateStore, run, sluicegate } from "../cli.test-kit.ts";

const POLICY = `version: 1
workspace: { root: . }
tools: { post: { permissions: [connect], sink: public } }
`;

const checksOf = (json: unknown): readonly unknown[] =>
  (json as { checks: { check: string; result: string }[] }).checks.map(({ check, result }) => [
    check,
    result,
  ]);

it("shows by a hook's own answer and a decision that what must be denied is denied (X29)", async () => {
  using folder = createFolder({ "sluicegate.yaml": POLICY });
  const at = { cwd: folder.path, env: { HOME: folder.path } };
  await run("git", ["init", "-q", folder.path]);
  await sluicegate(["hook", "install", "claude-code"], { ...at, started: true });
  const ran = await sluicegate(["doctor", "--json"], at);
  expect(ran).toMatchObject({ status: 0, err: "" });
  expect(checksOf(ran.json())).toEqual([
    ["policy", expect.stringMatching(/ok|warning/)],
    ["decision", "ok"],
    ["hook", "ok"],
    ["server", "skipped"],
    ["gateway", "skipped"],
    ["secrets", "ok"],
    ["store", "ok"],
    ["clock", "ok"],
  ]);
  expect(ran.out).toMatch(/with secret data in the session, `run_command` is not allowed: (?:ask|deny)/);
});

it("names what fails with its cause and what to do: a hook, a server, a secret, a store (X29)", async () => {
  using folder = createFolder({
    "sluicegate.yaml": `${POLICY}servers: { gone: { command: no-such-program }, mail: { url: "http://127.0.0.1:9/mcp", oauth: { for: gateway } } }\n`,
    ".claude/settings.json": JSON.stringify({
      hooks: {
        PreToolUse: [
          { matcher: "*", hooks: [{ type: "command", command: "true sluicegate hook claude-code" }] },
        ],
      },
    }),
  });
  const store = createStateStore(folder.path);
  writeFileSync(store, "no database");
  const token = join(folder.path, ".sluicegate/token");
  writeFileSync(token, "a token");
  chmodSync(token, 0o644);
  const ran = await sluicegate(["doctor"], { cwd: folder.path, env: { HOME: folder.path } });
  expect(ran.status).toBe(1);
  for (const line of [
    /failed +hook +The hook of .*settings.json gave no decision/,
    /skipped +server +mail asks for OAuth: see `sluicegate sign-in --list`/,
    /failed +server +gone: its command .* does not exist: install it/,
    /failed +secrets +The file .*token is not private/,
    /failed +store /,
    /fix: .*chmod 600/,
  ])
    expect(ran.out).toMatch(line);
});

it("ends at a policy that can't be loaded (X29)", async () => {
  using folder = createFolder({ "sluicegate.yaml": "version: 1\ntols: {}\n" });
  const ran = await sluicegate(["doctor", "--json"], { cwd: folder.path });
  expect(ran.status).toBe(1);
  expect(checksOf(ran.json())).toEqual([["policy", "failed"]]);
});
