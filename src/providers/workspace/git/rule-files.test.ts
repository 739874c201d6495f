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
