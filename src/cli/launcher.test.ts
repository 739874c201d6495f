import { chmodSync, copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createFolder, LAUNCHER, ROOT, run, sluicegate } from "./cli.test-kit.ts";

const VERSION: string = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).version;

/** A checkout with the real launcher, another program, and no Node of its own. */
function createCheckout(folder: string, program: string): string {
  for (const path of ["bin", "src/cli", "node_modules"]) mkdirSync(join(folder, path), { recursive: true });
  copyFileSync(LAUNCHER, join(folder, "bin/sluicegate"));
  writeFileSync(join(folder, "src/cli/main.ts"), program);
  return join(folder, "bin/sluicegate");
}

/** A folder for the PATH, with a `node` that says it has this version and prints how it is called. */
function createFakeNode(folder: string, version: string): string {
  const bin = join(folder, `node-${version}`);
  mkdirSync(bin);
  const script = `#!/bin/sh\nif [ "$1" = -p ]; then echo ${version}; else echo "$@"; fi\n`;
  writeFileSync(join(bin, "node"), script);
  chmodSync(join(bin, "node"), 0o755);
  return bin;
}

it("runs from any directory, through links to it and to its folder, on a machine whose own Node is old", async () => {
  using folder = createFolder();
  const { path } = folder;
  symlinkSync(LAUNCHER, join(path, "absolute"));
  mkdirSync(join(path, ".bin"));
  symlinkSync("../absolute", join(path, ".bin/sluicegate"));
  symlinkSync(join(ROOT, "bin"), join(path, "linked"));
  const PATH = `${createFakeNode(path, "20.1.0")}:/usr/bin:/bin`;
  const programs = [LAUNCHER, join(path, "absolute"), join(path, ".bin/sluicegate"), "./linked/sluicegate"];
  const runs = await Promise.all(
    programs.map((program) => run(program, ["--version"], { cwd: path, env: { PATH } })),
  );
  for (const ran of runs) expect(ran).toMatchObject({ status: 0, out: `${VERSION}\n`, err: "" });
});

it("becomes the Node process itself, with its Node first on the PATH, so that signals and status pass", async () => {
  using folder = createFolder();
  const program = `const found: string = process.env.PATH ?? "";
    console.log(found.split(":")[0], process.pid);
    process.exitCode = 7;`;
  const launcher = createCheckout(folder.path, program);
  mkdirSync(join(folder.path, "node_modules/node/bin"), { recursive: true });
  symlinkSync(process.execPath, join(folder.path, "node_modules/node/bin/node"));
  const script = `"$1" & started=$!; wait $started; echo "status $? of $started"`;
  const ran = await run("/bin/sh", ["-c", script, "sh", launcher]);
  expect(ran.err).toBe("");
  const [, path, pid] = /^(.*) (\d+)$/m.exec(ran.out) ?? [];
  expect(path).toBe(join(folder.path, "node_modules/.bin"));
  expect(ran.out).toContain(`\nstatus 7 of ${pid}\n`);

  writeFileSync(
    join(folder.path, "src/cli/main.ts"),
    "process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 9);",
  );
  const killed = await run(launcher, []);
  expect(killed.status).toBe(null);
});

it("takes the machine's Node where npm brought none, if it is new enough, and says what to do where it isn't", async () => {
  using folder = createFolder();
  const launcher = createCheckout(folder.path, "");
  const withNode = (version: string) =>
    run(launcher, ["check", "a b"], {
      env: { PATH: `${createFakeNode(folder.path, version)}:/usr/bin:/bin` },
    });
  const [recent, old, odd] = await Promise.all(["26.2.0", "22.9.0", "x"].map(withNode));
  expect(recent).toMatchObject({
    status: 0,
    out: `--max-semi-space-size=8 --disable-warning=ExperimentalWarning ${join(folder.path, "src/cli/main.ts")} check a b\n`,
  });
  for (const refused of [old, odd]) {
    expect(refused).toMatchObject({ status: 2, out: "" });
    expect(refused?.err).toMatch(/^error: .*\n {2}why: It needs Node 24 or later.*\n {2}fix: Run `npm ci`/);
  }
});

it("says what to do in a checkout whose packages are not installed", async () => {
  using folder = createFolder();
  mkdirSync(join(folder.path, "bin"));
  mkdirSync(join(folder.path, "src/cli"), { recursive: true });
  writeFileSync(join(folder.path, "src/cli/main.ts"), "");
  copyFileSync(LAUNCHER, join(folder.path, "bin/sluicegate"));
  const ran = await run(join(folder.path, "bin/sluicegate"), []);
  expect(ran).toMatchObject({ status: 2, out: "" });
  expect(ran.err).toContain("fix: Run `npm ci` in");
});

it("prints nothing that isn't ours, also where SQLite is loaded", async () => {
  using folder = createFolder({ "sluicegate.db": "" });
  const ran = await sluicegate(["journal", "show"], { cwd: folder.path, started: true });
  expect(ran.status).toBe(2);
  expect(ran.err.split("\n").map((line) => line.slice(0, 7))).toEqual(["error: ", "  why: ", "  fix: ", ""]);
});
