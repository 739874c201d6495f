import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { BUNDLED_COMMAND, createFolder, isHarmless, POLICY, run, sluicegate } from "./cli.test-kit.ts";
import { COMMANDS } from "./commands.ts";

const JOURNAL_COMMANDS = ["show", "verify", "export", "push", "receipt", "verify-receipt"];

it("says in a few lines what it is and what to try first when it is called alone", async () => {
  const ran = await sluicegate([]);
  expect(ran).toMatchObject({ status: 0, err: "" });
  expect(ran.out).toContain("First thing to try");
  expect(ran.out).toContain("  sluicegate check sluicegate.yaml\n");
  for (const { name, summary } of COMMANDS)
    expect(ran.out).toMatch(new RegExp(`^ {2}${name} +${summary}$`, "m"));
  expect(ran.out.split("\n").length).toBeLessThan(34);
});

it("teaches every command: a sentence, an example to copy, the exit status", async () => {
  const mine = [
    "init",
    "classify",
    "check",
    "explain",
    "plan",
    "schema",
    "tools",
    ...JOURNAL_COMMANDS.map((name) => `journal ${name}`),
  ];
  const helps = await Promise.all(
    mine.map(async (name) => ({ name, ...(await sluicegate([...name.split(" "), "--help"])) })),
  );
  for (const { name, status, out, err } of helps) {
    expect({ name, status, err }).toEqual({ name, status: 0, err: "" });
    expect(out).toContain(`Usage: sluicegate ${name} [options]`);
    expect(out).toMatch(new RegExp(`Examples:\n(.*\n)*? {2}(.*\\| )?sluicegate ${name}`));
    expect(out).toMatch(/Exit status:\n {2}0 {2}\w/);
    expect(out).toMatch(/\n {2}2 {2}wrong usage/);
    expect(out).toContain("--json");
  }
  const asked = await sluicegate(["help", "journal", "verify"]);
  expect(asked.out).toBe(helps.find(({ name }) => name === "journal verify")?.out);
});

it("says how npm passes an option on, where `npm start` runs it", async () => {
  const ran = await sluicegate(["serve", "7312"], { env: { npm_lifecycle_event: "start" } });
  expect(ran).toMatchObject({ status: 2, out: "" });
  expect(ran.err).toContain("why: npm passes options on only after `--`.");
  expect(ran.err).toContain("fix: Write `npm start -- --port 7312`.");
});

it("says who has the port, and how to take another one", async () => {
  const answer = createServer((_, response) => response.end('{"status":"ok"}')).listen(0, "127.0.0.1");
  await once(answer, "listening");
  const { port } = answer.address() as AddressInfo;
  using folder = createFolder({ "sluicegate.yaml": POLICY });
  const serve = ["serve", "--port", String(port)];
  const [plain, byNpm] = [
    await sluicegate(serve, { cwd: folder.path }),
    await sluicegate(serve, { cwd: folder.path, env: { npm_lifecycle_event: "start" } }),
  ];
  answer.close();
  expect(plain.status).toBe(2);
  expect(plain.err).toContain(
    "why: A Sluicegate gateway listens there already, perhaps one that you started before.",
  );
  expect(plain.err).toContain("or choose another port: `sluicegate serve --port 7312`.");
  expect(byNpm.err).toContain("or choose another port: `npm start -- --port 7312`.");
});

it.concurrent.each([
  [["chekc", "f"], "Unknown command `chekc`.", "Did you mean `check`?"],
  [["help", "explian"], "Unknown command `explian`.", "Did you mean `explain`?"],
  [["check", "f", "--jsno"], "Unknown option `--jsno`.", "Did you mean `--json`?"],
  [["journal", "verfy"], "Unknown command `verfy`.", "Did you mean `verify`?"],
  [["journal"], "`sluicegate journal` needs a command after it.", "See `sluicegate journal --help`."],
  [["plan"], "Missing required argument `file`.", "See `sluicegate plan --help`."],
  [["explain", "f"], "Required option `--tool <name>` not specified.", "See `sluicegate explain --help`."],
  [
    ["journal", "show", "a", "b"],
    "Too many arguments for `show`. Expected 1",
    "See `sluicegate journal show --help`.",
  ],
])("refuses %j with what is wrong and what was probably meant", async (args, message, fix) => {
  const ran = await sluicegate(args);
  expect(ran).toMatchObject({ status: 2, out: "" });
  expect(ran.err).toContain(`error: ${message}`);
  expect(ran.err).toMatch(/\n {2}why: .+\n/);
  expect(ran.err).toContain(fix);
});

it("tells an error as one JSON document where JSON is asked for, and not where that is an argument", async () => {
  const [json, words] = await Promise.all([
    sluicegate(["chekc", "--json"], { started: true }),
    sluicegate(["explain", "--", "--json"]),
  ]);
  expect(json).toMatchObject({ status: 2, err: "" });
  expect(json.json()).toEqual({
    error: {
      code: "usage",
      message: "Unknown command `chekc`.",
      why: "`sluicegate` has nothing of that name.",
      fix: "Did you mean `check`? See `sluicegate --help`.",
    },
  });
  expect(words).toMatchObject({ status: 2, out: "", err: expect.stringMatching(/^error: /) });
});

it("makes hostile arguments visible before it repeats them", async () => {
  const hostile = "\u001b[2Jche\u202eck\u0007";
  const [command, option, file] = await Promise.all([
    sluicegate([hostile]),
    sluicegate(["check", "f", `--${hostile}`]),
    sluicegate(["check", hostile, "--json"]),
  ]);
  for (const { out, err } of [command, option, file]) {
    expect(isHarmless(out + err)).toBe(true);
    expect(out + err).toMatch(/\\u\{?0*1b/);
  }
});

it("prints no colour into a pipe, whatever the environment asks for", async () => {
  using folder = createFolder({ "p.yaml": POLICY });
  const ran = await sluicegate(["explain", "p.yaml", "--tool", "web_search"], {
    cwd: folder.path,
    env: { FORCE_COLOR: "3", CLICOLOR_FORCE: "1" },
    started: true,
  });
  expect(ran.out).toMatch(/^allow {2}web_search\n/);
  expect(ran.out).not.toContain("\u001b");
});

const SCRIPT = "/usr/bin/script";

it.skipIf(process.platform !== "linux" || !existsSync(SCRIPT))(
  "colours its answer on a terminal, but not with NO_COLOR, and escapes hostile text on both (needs `script`)",
  async () => {
    using folder = createFolder({ "p.yaml": POLICY });
    const command = `'${BUNDLED_COMMAND}' explain p.yaml --tool "$(printf 'x\\033[31m')"`;
    const onTerminal = (env: Record<string, string>) =>
      run(SCRIPT, ["-qec", command, "/dev/null"], { cwd: folder.path, env: { TERM: "xterm", ...env } });
    const [coloured, plain] = await Promise.all([onTerminal({}), onTerminal({ NO_COLOR: "1" })]);
    expect(coloured.out).toContain("\u001b[31mdeny\u001b[39m  \u001b[1mx\\u{1b}[31m\u001b[22m");
    expect(plain.out).toContain("deny  x\\u{1b}[31m");
    expect(plain.out).not.toContain("\u001b");
  },
);
