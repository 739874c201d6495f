import { mkdirSync, symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { testRepositories } from "../../../../test/fixtures/git-repository.ts";
import { canonicalNewPath, canonicalPath, fromFolder, isClearText, pathWithin } from "./canonical-path.ts";

const folder = testRepositories().folder();
const found = (path: string) => ({ kind: "found", path });

describe("a canonical path", () => {
  it("takes `..` behind a link as the system does, not as the text reads", async () => {
    folder.write("a/deep/file");
    folder.write("a/secret");
    folder.write("secret");
    symlinkSync("a/deep", folder.path("link"));
    expect(await canonicalPath(`${folder.root}/link/../secret`)).toEqual(found(folder.path("a/secret")));
  });

  it("is none where nothing lies, and unclear where nobody can tell", async () => {
    symlinkSync("circle", folder.path("circle"));
    const bytes = Buffer.concat([Buffer.from(`${folder.root}/`), Buffer.from([0xff, 0xfe])]);
    mkdirSync(bytes);
    symlinkSync(bytes, folder.path("odd"));
    const asked = ["nothing", "secret/below", "circle", "odd", "x\0y", "\ud800", "n".repeat(5000)];
    const kinds = await Promise.all(asked.map((name) => canonicalPath(`${folder.root}/${name}`)));
    expect(kinds.map(({ kind }) => kind)).toEqual([
      "missing",
      "missing",
      ...["unclear", "unclear", "unclear", "unclear", "unclear"],
    ]);
    expect(await canonicalPath("")).toEqual({ kind: "unclear" });
  });

  it.runIf(process.platform === "linux")("is unclear where each process is led elsewhere", async () => {
    folder.write("plain/file");
    symlinkSync(`/proc/self/root${folder.root}/plain`, folder.path("own-root"));
    symlinkSync("own-root", folder.path("link-to-it"));
    symlinkSync("/proc/self/cwd/no such folder", folder.path("no-cwd"));
    symlinkSync("plain", folder.path("harmless"));
    const asked = [
      `/proc/self/root${folder.root}/plain/file`,
      `/proc/${process.pid}/cwd`,
      "/proc/thread-self/cwd",
      "/dev/fd",
      "/proc/self/cwd/no such file",
      folder.path("own-root/file"),
      folder.path("own-root/no such file"),
      folder.path("no-cwd/file"),
      folder.path("link-to-it/file"),
      `${folder.root}/plain/../own-root/../plain/file`,
    ];
    const kinds = await Promise.all(asked.map(canonicalPath));
    expect(kinds).toEqual(asked.map(() => ({ kind: "unclear" })));
    expect(await canonicalNewPath(folder.path("own-root/new"))).toEqual({ kind: "unclear" });
    expect(await canonicalPath(`${folder.root}/harmless/../plain/./file`)).toEqual(
      found(folder.path("plain/file")),
    );
  });

  it("of something new lies in a folder that is there, under a name that nothing bears", async () => {
    symlinkSync("nowhere", folder.path("dangling"));
    const asked = ["link/new", "dangling", "link/..", "none/new", "secret", "new/"];
    const answers = await Promise.all(asked.map((name) => canonicalNewPath(`${folder.root}/${name}`)));
    expect(answers[0]).toEqual(found(folder.path("a/deep/new")));
    expect(answers.slice(1).map(({ kind }) => kind)).toEqual([
      "unclear",
      "unclear",
      "missing",
      "unclear",
      "unclear",
    ]);
  });
});

describe("a path within a folder", () => {
  it.each([
    ["/work", "/work", ""],
    ["/work", "/work/a/b", "a/b"],
    ["/work", "/workshop", null],
    ["/work", "/", null],
    ["/", "/etc", "etc"],
    ["/", "/", ""],
  ])("%s, %s", (outer, path, within) => {
    expect(pathWithin(outer, path)).toBe(within);
  });

  it("is read from there, with nothing collapsed", () => {
    expect([fromFolder("/work", "a/../b"), fromFolder("/", "a"), fromFolder("/work", "/etc")]).toEqual([
      "/work/a/../b",
      "/a",
      "/etc",
    ]);
  });
});

describe("a clear text", () => {
  it("has nothing that ends it or turns the direction of reading, and no half of a character", () => {
    const unclear = ["a\0b", "a\u202egnp.exe", "\u2066", "\u200f", "\u061c", "\udc00"];
    expect(unclear.filter(isClearText)).toEqual([]);
    const clear = [
      "a\nb",
      "a\tb",
      "a\u2028b",
      "a b ",
      "ünï",
      "👨‍👩‍👧.png",
      "می‌خواهم",
      "a\\b",
      "*?[a]:",
      "-",
      "e\u0301",
    ];
    expect(clear.filter((text) => !isClearText(text))).toEqual([]);
  });
});
