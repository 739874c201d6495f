import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openTestWorkspace, type TestWorkspace } from "../workspace.test-kit.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

const linkExclude = (target: string) => (place: TestWorkspace) => {
  rmSync(place.at(".git/info/exclude"), { force: true });
  mkdirSync(place.at(".git/info"), { recursive: true });
  symlinkSync(target, place.at(".git/info/exclude"));
};
const homeIsHere = ({ root }: TestWorkspace) => {
  vi.stubEnv("HOME", root);
  vi.stubEnv("XDG_CONFIG_HOME", undefined);
};

/** What says that `rules/named` counts, and what else is done. */
const NAMED: readonly (readonly [string, string, (place: TestWorkspace) => void])[] = [
  [
    "`core.excludesFile`",
    "rules/named",
    ({ git, at }) => git("config", "core.excludesFile", at("rules/named")),
  ],
  [
    "`core.excludesFile` from the top",
    "rules/named",
    ({ git }) => git("config", "core.excludesFile", "rules/named"),
  ],
  [
    "`core.excludesFile` from the home folder",
    "rules/named",
    (place) => {
      homeIsHere(place);
      place.put(".gitconfig", "[core]\n\texcludesFile = ~/rules/named\n");
    },
  ],
  ["an included file", "rules/named", ({ git }) => git("config", "include.path", "../rules/named")],
  [
    "an included file of an included file",
    "rules/named",
    ({ git, put }) => {
      git("config", "include.path", "../rules/first");
      put("rules/first", "[include]\n\tpath = named\n");
    },
  ],
  [
    "a file that is included by a condition",
    "rules/named",
    ({ git }) => git("config", "includeIf.onbranch:other.path", "../rules/named"),
  ],
  ["a link in git's folder", "rules/named", linkExclude("../../rules/named")],
  ["the person's own rules", ".config/git/ignore", homeIsHere],
  ["the person's own settings", ".config/git/config", homeIsHere],
];

/** A setting, or what else names a program, and the program. */
const PROGRAMS: readonly (readonly [string, string, (place: TestWorkspace) => void])[] = [
  ...(
    [
      ["filter.f.clean", "./tools/clean.sh %f", "tools/clean.sh"],
      ["core.fsmonitor", "tools/watch.sh", "tools/watch.sh"],
      ["core.editor", "$PWD/tools/edit.sh", "tools/edit.sh"],
      ["diff.external", "node tools/diff", "tools/diff.mjs"],
      ["diff.x.textconv", "python3 show.py", "show.py"],
      ["gpg.program", "tools/sign", "tools/sign"],
      ["alias.go", "!f() { ./tools/go.sh; }; f", "tools/go.sh"],
      ["alias.run", "!sh run.sh", "run.sh"],
      ["alias.f", "!f() { node x.js; }; f", "x.js"],
      ["alias.env", "!env A=1 node x.js", "x.js"],
      ["filter.f.smudge", "sed -f strip.sed", "strip.sed"],
      ["filter.g.clean", "sh -c 'cd tools && ./clean.sh'", "tools/clean.sh"],
      ["filter.h.clean", "env python3 strip3.py", "strip3.py"],
      ["alias.cd", "!cd tools && ./x.sh", "tools/x.sh"],
      ["alias.deep", "!cd 'tools' && node x.js", "tools/x.js"],
      ["credential.helper", "!tools/ask.sh", "tools/ask.sh"],
      ["some.thing.new", "./tools/new.sh", "tools/new.sh"],
    ] as const
  ).map(
    ([setting, value, name]) =>
      [setting, name, ({ git }: TestWorkspace) => void git("config", setting, value)] as const,
  ),
  [
    "a link among the hooks",
    "scripts/check.sh",
    ({ at }) => {
      mkdirSync(at(".git/hooks"), { recursive: true });
      symlinkSync("../../scripts/check.sh", at(".git/hooks/pre-commit"));
    },
  ],
  [
    "a link that a setting names",
    "scripts/real.sh",
    ({ at, git }) => {
      mkdirSync(at("tools"), { recursive: true });
      symlinkSync("../scripts/real.sh", at("tools/link.sh"));
      git("config", "core.editor", "tools/link.sh");
    },
  ],
  [
    "a folder that is a link, and the one above it",
    "scripts/real.sh",
    ({ at, git }) => {
      mkdirSync(at("scripts/deep"), { recursive: true });
      symlinkSync("scripts/deep", at("there"));
      git("config", "core.editor", "there/../real.sh");
    },
  ],
  [
    "a link in another folder of hooks",
    "scripts/check.sh",
    ({ at, git }) => {
      mkdirSync(at("conf"), { recursive: true });
      symlinkSync("../scripts/check.sh", at("conf/pre-push"));
      git("config", "core.hooksPath", "conf");
    },
  ],
];

describe("a program that git runs", () => {
  it.each(PROGRAMS)("is written by nobody unasked: %s, %s (D3)", async (_, name, prepare) => {
    const place = openTestWorkspace({ "other.txt": "x" });
    try {
      prepare(place);
      const asksOf = async (file_path: string) =>
        (await place.examine("Write", { file_path, content: "" })).asks;
      expect(await asksOf(name)).toEqual(["protected-name"]);
      place.put(name, "");
      expect(await asksOf(name)).toEqual(["protected-name"]);
      for (const other of ["other.txt", "tools/other.sh", "scripts/a.ts"])
        expect([other, await asksOf(other)]).toEqual([other, []]);
    } finally {
      place.close();
    }
  });

  it("is none of the project's files under usual settings (D1)", async () => {
    const place = openTestWorkspace({ "src/index.ts": "x" });
    try {
      const settings = [
        ["user.name", "index"],
        ["core.editor", "code --wait"],
        ["core.pager", "delta"],
        ["credential.helper", "store"],
        ["alias.st", "status"],
        ["alias.lg", "log --graph --pretty=format:'%h %s'"],
        ["branch.src/index.merge", "refs/heads/src/index.ts"],
        ["remote.origin.url", "git@git.example:acme/src.git"],
        ["remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"],
        ["filter.lfs.clean", "git-lfs clean -- %f"],
        ["filter.lfs.process", "git-lfs filter-process"],
        ["commit.template", ".gitmessage"],
        ["safe.directory", "src/index.ts"],
        ["submodule.a.url", "https://git.example/src/index.ts"],
        ["core.hooksPath", ".husky/_"],
      ] as const;
      for (const [name, value] of settings) place.git("config", name, value);
      for (const file_path of ["src/index.ts", "index.ts", "code.ts", "store.ts", "status.ts", "log.ts"])
        expect([file_path, (await place.examine("Write", { file_path, content: "" })).asks]).toEqual([
          file_path,
          [],
        ]);
    } finally {
      place.close();
    }
  });
});

describe("a file that decides what git ignores, whatever it is called,", () => {
  it.each(NAMED)("is written, deleted and moved by nobody unasked: %s (D3, D1)", async (_, name, prepare) => {
    const place = openTestWorkspace({ "other.txt": "x" });
    try {
      prepare(place);
      const write = (file_path: string) => place.examine("Write", { file_path, content: "" });
      expect((await write(name)).asks).toEqual(["protected-name"]);
      place.put(name, "");
      expect((await write(name)).asks).toEqual(["protected-name"]);
      expect((await place.examine("delete_file", { path: name })).asks).toEqual(["protected-name"]);
      const folder = name.split("/")[0] ?? "";
      expect((await place.examine("rename", { from: folder, to: "moved" })).asks).toEqual(["protected-name"]);
      expect((await write("other.txt")).asks).toEqual([]);
      // A hidden folder of the home folder holds settings of other programs too.
      const besideIt = folder === ".config" ? ["protected-name"] : [];
      expect((await write(`${folder}/new.txt`)).asks).toEqual(besideIt);
      expect((await place.examine("Read", { file_path: name })).asks).toEqual([]);
    } finally {
      place.close();
    }
  });

  it("asks at every write where git doesn't say which files these are (D4)", async () => {
    const place = openTestWorkspace({ "other.txt": "x" });
    try {
      place.git("config", "core.excludesFile", "~nobody-of-this-name/rules");
      expect((await place.examine("Write", { file_path: "other.txt", content: "" })).asks).not.toEqual([]);
    } finally {
      place.close();
    }
  });
});
