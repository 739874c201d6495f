import { createHash } from "node:crypto";
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTestWorkspace, type TestWorkspace } from "../workspace.test-kit.ts";

let place: TestWorkspace;
beforeEach(() => {
  place = openTestWorkspace(
    { "a.txt": "one\ntwo\n", "src/b.txt": "b\n", "crlf.txt": "\uFEFFone\r\ntwo\r\n", "my.key": "SECRET\n" },
    ["store.db", "conf"],
  );
});
afterEach(() => place.close());

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
/** Nothing is left behind beside what was written. */
const isClean = (): boolean =>
  readdirSync(place.root, { recursive: true }).every((name) => !String(name).includes(".tmp"));

describe("writing a file", () => {
  it.each([
    ["write_text_file", "filepath"],
    ["Write", "file_path"],
  ])("by %s takes `%s` and `content`, with folders that are missing (D3, E6)", async (tool, name) => {
    await place.granted(tool, { [name]: "new/deep/x.txt", content: "hello" });
    await place.granted(tool, { [name]: "a.txt", content: "" });
    expect([place.get("new/deep/x.txt"), place.get("a.txt"), isClean()]).toEqual(["hello", "", true]);
  });

  it("shows what it changes, and binds the approval to what it replaces (D6-targets)", async () => {
    expect(await place.examine("Write", { file_path: "a.txt", content: "one\n2\n" })).toMatchObject({
      asks: [],
      targets: [{ path: place.at("a.txt"), content: sha256("one\ntwo\n") }],
      preview: "--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n",
    });
    expect(await place.examine("Write", { file_path: "new.txt", content: "x\n" })).toMatchObject({
      targets: [{ path: place.at("new.txt"), content: null }],
      preview: "--- /dev/null\n+++ new.txt\n@@ -0,0 +1,1 @@\n+x\n",
    });
  });

  it("keeps permissions, line ends and a byte order mark (D3)", async () => {
    chmodSync(place.at("crlf.txt"), 0o750);
    await place.granted("Write", { file_path: "crlf.txt", content: "1\n2\n3" });
    expect(place.get("crlf.txt")).toBe("\uFEFF1\r\n2\r\n3");
    expect(statSync(place.at("crlf.txt")).mode & 0o777).toBe(0o750);
    await place.granted("Write", { file_path: "a.txt", content: "1\r\n2\n" });
    expect(place.get("a.txt")).toBe("1\r\n2\n");
  });

  it("writes through a link to where it leads, and leaves the link (D3)", async () => {
    symlinkSync("src/b.txt", place.at("link"));
    expect((await place.examine("Write", { file_path: "link", content: "" })).targets).toMatchObject([
      { path: place.at("src/b.txt") },
    ]);
    await place.granted("Write", { file_path: "link", content: "new" });
    expect([place.get("src/b.txt"), place.get("link")]).toEqual(["new", "new"]);
  });

  it("gives a file with several names a life of its own (D3)", async () => {
    linkSync(place.at("a.txt"), place.at("again.txt"));
    expect((await place.examine("Write", { file_path: "a.txt", content: "" })).asks).toEqual([
      "several-links",
    ]);
    await place.granted("Write", { file_path: "a.txt", content: "new" });
    expect([place.get("a.txt"), place.get("again.txt")]).toEqual(["new", "one\ntwo\n"]);
  });

  it.each<[string, string, readonly string[]]>([
    ["an ignored file", "my.key", ["ignored-path"]],
    ["a new file that is ignored", "new.key", ["ignored-path"]],
    ["a new file in an ignored folder", "build/x/y.txt", ["ignored-path"]],
    ["a file outside", "../x.txt", ["outside-workspace"]],
    ["git's folder", ".git/config", ["git-folder"]],
    ["a folder that would be git's", "sub/.GIT/config", ["git-folder"]],
    ["what decides what is ignored", ".gitignore", ["protected-name"]],
    ["what would decide what is ignored", "sub/.ignore", ["protected-name"]],
    ["a link that leads nowhere", "dangling", ["unclear-path"]],
    ["a name behind a file", "a.txt/x", ["unclear-path"]],
    ["a way back", "none/../x.txt", ["unclear-path"]],
  ])("says besides that it asks for %s (D3, D2)", async (_, file_path, asks) => {
    symlinkSync("nowhere", place.at("dangling"));
    expect((await place.examine("Write", { file_path, content: "x" })).asks).toEqual(asks);
  });

  it.each([
    "store.db",
    "store.db-wal",
    "conf",
    "conf/x/y",
    "link",
  ])("refuses %s, whoever says yes (D3)", async (file_path) => {
    symlinkSync("store.db", place.at("link"));
    place.put("store.db", "SECRET");
    for (const tool of ["Write", "Edit", "delete_file", "create_dir", "Read", "rename"]) {
      const args = {
        Write: { file_path, content: "x" },
        Edit: { file_path, old_string: "S", new_string: "x" },
        rename: { from: "a.txt", to: file_path, overwrite: true },
      }[tool] ?? { path: file_path };
      const isMissing = tool === "Read" && !place.has(file_path);
      const isTaken = tool === "create_dir" && place.has(file_path);
      if (isMissing || isTaken) continue;
      const examined = await place.examine(tool, args);
      expect([tool, examined.isProtected, examined.preview?.includes("SECRET") ?? false]).toEqual([
        tool,
        true,
        false,
      ]);
      await expect(place.granted(tool, args)).rejects.toMatchObject({ code: "forbidden" });
    }
    expect(place.get("store.db")).toBe("SECRET");
  });

  it.each<[string, () => void]>([
    ["its content changed", () => place.put("src/b.txt", "other")],
    [
      "another file took its name",
      () => {
        place.put("src/new.txt", "b\n");
        renameSync(place.at("src/new.txt"), place.at("src/b.txt"));
      },
    ],
    [
      "a link took its name",
      () => {
        renameSync(place.at("src/b.txt"), place.at("src/old.txt"));
        symlinkSync("../my.key", place.at("src/b.txt"));
      },
    ],
    [
      "its folder is a link by then",
      () => {
        mkdirSync(join(place.base, "elsewhere"));
        writeFileSync(join(place.base, "elsewhere/b.txt"), "b\n");
        renameSync(place.at("src"), place.at("old"));
        symlinkSync(join(place.base, "elsewhere"), place.at("src"));
      },
    ],
  ])("writes nothing where %s (D2)", async (_, meanwhile) => {
    const late = place.granted("Write", { file_path: "src/b.txt", content: "WRITTEN" }, meanwhile);
    await expect(late).rejects.toMatchObject({ code: "target-changed" });
    expect(
      readdirSync(place.base, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".tmp")),
    ).toEqual([]);
    expect([place.get("src/b.txt"), place.get("my.key")]).not.toContain("WRITTEN");
  });

  it.each<[string, () => void]>([
    ["something lies there by then", () => place.put("src/new.txt", "theirs")],
    ["a link lies there by then", () => symlinkSync("../my.key", place.at("src/new.txt"))],
    [
      "its folder is another one",
      () => {
        renameSync(place.at("src"), place.at("old"));
        mkdirSync(place.at("src"));
      },
    ],
  ])("makes no new file where %s (D2)", async (_, meanwhile) => {
    const late = place.granted("Write", { file_path: "src/new.txt", content: "WRITTEN" }, meanwhile);
    await expect(late).rejects.toMatchObject({ code: "target-changed" });
    expect(place.get("my.key")).toBe("SECRET\n");
    expect(isClean()).toBe(true);
  });
});

it.runIf(process.platform === "linux")(
  "writes nothing where its folder was moved out, and a link leads there now (D2)",
  async () => {
    place.put("src/deep/c.txt", "c\n");
    const late = place.granted("Write", { file_path: "src/deep/c.txt", content: "WRITTEN" }, () => {
      renameSync(place.at("src"), join(place.base, "moved"));
      symlinkSync("../moved", place.at("src"));
    });
    await expect(late).rejects.toMatchObject({ code: "target-changed" });
    expect(place.get("src/deep/c.txt")).toBe("c\n");
  },
);

describe("editing a file", () => {
  const edit = (args: Record<string, unknown>) => ({ file_path: "a.txt", ...args });

  it.each([
    "edit_text_file",
    "Edit",
  ])("by %s replaces a part that stands there once (D3, E6)", async (tool) => {
    await place.granted(tool, edit({ old_string: "two", new_string: "2 $& $1" }));
    expect(place.get("a.txt")).toBe("one\n2 $& $1\n");
  });

  it("finds a part that was given with other line ends, and keeps the file's (D3)", async () => {
    await place.granted("Edit", { file_path: "crlf.txt", old_string: "one\ntwo", new_string: "1\n2\n3" });
    expect(place.get("crlf.txt")).toBe("\uFEFF1\r\n2\r\n3\r\n");
  });

  it("replaces all where that is asked for (D3)", async () => {
    place.put("a.txt", "x x x");
    await place.granted("Edit", edit({ old_string: "x", new_string: "y", replace_all: true }));
    expect(place.get("a.txt")).toBe("y y y");
  });

  it("makes a new file of an empty part (E6)", async () => {
    await place.granted("Edit", edit({ file_path: "new.txt", old_string: "", new_string: "new" }));
    expect(place.get("new.txt")).toBe("new");
  });

  it.each([
    ["isn't there", { old_string: "three", new_string: "x" }, "isn't in the file"],
    ["stands there several times", { old_string: "o", new_string: "x" }, "2 times"],
    ["is empty", { old_string: "", new_string: "x" }, "empty"],
    [
      "is to be in a file that isn't there",
      { file_path: "no.txt", old_string: "a", new_string: "b" },
      "Nothing lies there.",
    ],
  ])("changes nothing where the part %s, and says so to whoever is asked (D3)", async (_, args, why) => {
    const said = expect.stringContaining(why);
    expect(await place.examine("Edit", edit(args))).toMatchObject({ preview: said });
    await expect(place.granted("Edit", edit(args))).rejects.toMatchObject({
      code: "invalid-request",
      why: said,
    });
    expect(place.get("a.txt")).toBe("one\ntwo\n");
  });

  it("looks through no more than a text of ordinary length (D3)", async () => {
    const long = "long line\n".repeat(500_000);
    place.put("long.txt", long);
    const said = expect.stringContaining("more than 4 MiB");
    const change = { file_path: "long.txt", old_string: "absent", new_string: "x" };
    expect(await place.examine("Edit", change)).toMatchObject({ asks: [], preview: said });
    const written = await place.examine("Write", { file_path: "long.txt", content: "short\n" });
    expect(written.preview).toContain("too much to compare; the new text follows.\nshort\n");
    const wish = { file_path: "a.txt", content: long + long };
    await expect(place.examine("Write", wish)).rejects.toMatchObject({ code: "invalid-request" });
    await place.granted("Write", { file_path: "long.txt", content: "short\n" });
    expect(place.get("long.txt")).toBe("short\n");
  });

  it("leaves alone what isn't text in UTF-8 (D3)", async () => {
    place.put("latin.txt", Buffer.from([0x61, 0xe9, 0x0a]));
    const args = { file_path: "latin.txt", old_string: "a", new_string: "b" };
    await expect(place.granted("Edit", args)).rejects.toMatchObject({ code: "invalid-request" });
  });
});
