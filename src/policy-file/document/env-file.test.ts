import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { envFileOf } from "./env-file.ts";
import { type LoadOptions, loadConfig } from "./load.ts";
import { formatProblem } from "./report.ts";

let folder: string;
let policy: string;
let env: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluicegate-env-"));
  policy = join(folder, "sluicegate.yaml");
  env = join(folder, "sluicegate.env");
  await writeFile(
    policy,
    `version: 1\nservers:\n  s: { command: "\${SG_TEST_A}", args: ["\${SG_TEST_B}"], tools: {} }\n`,
  );
});
afterEach(async () => {
  delete process.env.SG_TEST_A;
  delete process.env.SG_TEST_B;
  await rm(folder, { recursive: true });
});

const write = (text: string | Uint8Array, mode = 0o600) => writeFile(env, text, { mode });
const load = (options?: LoadOptions) => loadConfig(policy, options);
const transport = async (options?: LoadOptions) => (await load(options)).servers.get("s")?.transport;

test.each([
  ["sluicegate.yaml", "sluicegate.env"],
  ["a/my.policy.yml", "a/my.policy.env"],
  ["p.json", "p.env"],
  ["policy", "policy.env"],
  ["p.env", "p.env.env"],
])("the env file of %s is %s", (file, expected) => {
  expect(envFileOf(file)).toBe(expected);
});

test("variables come from the env file beside the policy, and from the process first", async () => {
  await write("\uFEFFSG_TEST_A=node # a comment\nexport SG_TEST_B='a\n#\"b'\n");
  expect(await transport()).toMatchObject({ command: "node", args: ['a\n#"b'] });
  process.env.SG_TEST_B = "mine";
  expect(await transport()).toMatchObject({ command: "node", args: ["mine"] });
  expect(process.env.SG_TEST_A).toBeUndefined();
});

test("variables come from files that the process names, and before the env file", async () => {
  await write("SG_TEST_A=node\nSG_TEST_B=env-file\n");
  const secret = join(folder, "secret");
  process.env.SG_TEST_B_FILE = secret;
  try {
    await expect(load()).rejects.toMatchObject({
      code: "policy-unreadable",
      message: "The file of the variable `SG_TEST_B` can't be read.",
    });
    await writeFile(secret, "from a file\n");
    expect(await transport()).toMatchObject({ args: ["from a file"] });
    process.env.SG_TEST_B = "mine";
    expect(await transport()).toMatchObject({ args: ["mine"] });
  } finally {
    delete process.env.SG_TEST_B_FILE;
  }
});

test("an env file is not read where variables are given, and no prototype is a variable", async () => {
  await write("SG_TEST_A=node\n__proto__=x\n");
  await expect(load({ environment: {} })).rejects.toThrow("The variable `SG_TEST_A` is not set.");
  await expect(load()).rejects.toThrow("The variable `SG_TEST_B` is not set.");
  await writeFile(policy, `version: 1\nservers:\n  s: { command: "\${__proto__}", tools: {} }\n`);
  await expect(load()).rejects.toThrow("The variable `__proto__` is not set.");
});

test("what is set nowhere stands for what the caller says", async () => {
  await write("SG_TEST_A=node\n");
  expect(await transport({ unset: "unset" })).toMatchObject({ command: "node", args: ["unset"] });
});

test("the env file is among the files, read or not, there or not", async () => {
  process.env.SG_TEST_A = process.env.SG_TEST_B = "x";
  const files = [policy, env];
  expect((await load()).files).toEqual(files);
  expect((await load({ environment: { SG_TEST_A: "x", SG_TEST_B: "x" } })).files).toEqual(files);
  await write("");
  expect((await loadConfig(relative(process.cwd(), policy))).files).toEqual(files);
});

test("a file that others may open, and a variable without a value, are worth a warning", async () => {
  await write("# SG_TEST_B=\nSG_TEST_A=hunter2\n SG_TEST_B = ''\nSG_TEST=\n");
  const warnings = async () =>
    (await load()).warnings.filter(({ file }) => file !== policy).map(formatProblem);
  const empty = (line: number, name: string) =>
    `${env}:${line}:1: The variable \`${name}\` is empty. Fill it in, or set it in the environment.`;
  expect(await warnings()).toEqual([empty(3, "SG_TEST_B"), empty(4, "SG_TEST")]);
  process.env.SG_TEST_B = "set";
  await chmod(env, 0o640);
  expect(await warnings()).toEqual([
    `${env}:1:1: Other users of this machine may open this file, and it holds secrets. Run \`chmod 600\` on it.`,
    empty(4, "SG_TEST"),
  ]);
});

test("an env file that is no text, too long or no file is an error that names it", async () => {
  await write(Buffer.from("SG_TEST_A=x\nB=caf\xe9\n", "latin1"));
  await expect(load()).rejects.toMatchObject({
    code: "policy-invalid",
    message: `${env}:2:1: This line is not UTF-8 text. Save the file as UTF-8.`,
  });
  await write("#".repeat(1024 * 1024 + 1));
  await expect(load()).rejects.toMatchObject({
    code: "policy-invalid",
    message: `${env}:1:1: It is larger than 1 MiB. Keep variables alone in it.`,
  });
  for (const make of [() => mkdir(env), () => symlink("/dev/zero", env)]) {
    await rm(env, { recursive: true, force: true });
    await make();
    await expect(load()).rejects.toMatchObject({
      code: "policy-unreadable",
      why: "It isn't an ordinary file.",
    });
  }
});

const isRoot = process.getuid?.() === 0;
test.skipIf(isRoot)(
  `an env file that this user may not read is an error${isRoot ? " [skipped: root may read every file]" : ""}`,
  async () => {
    await write("SG_TEST_A=x\n", 0o000);
    await expect(load()).rejects.toMatchObject({
      code: "policy-unreadable",
      why: "This user may not read it.",
    });
  },
);

test("a variable may be called as what every object has", async () => {
  await writeFile(
    policy,
    `version: 1\nservers:\n  s: { command: "\${constructor}\${toString}", tools: {} }\n`,
  );
  await write("constructor=a\ntoString=b\n");
  expect(await transport()).toMatchObject({ command: "ab" });
});
