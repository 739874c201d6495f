import { linkSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTestWorkspace, type TestWorkspace } from "../workspace.test-kit.ts";

let place: TestWorkspace;
beforeEach(() => {
  place = openTestWorkspace({
    "a.txt": "one\ntwo\nthree",
    "lines.txt": Array.from({ length: 3000 }, (_, index) => `line ${index + 1}\n`).join(""),
    "crlf.txt": "a\r\nb\r\n",
    "binary.bin": Buffer.from([1, 0, 2]),
    "my.key": "SECRET",
  });
});
afterEach(() => place.close());

describe("reading", () => {
  it.each([
    "filepath",
    "path",
    "file_path",
  ])("takes the file as `%s` and gives it as it is (D3)", async (name) => {
    expect(await place.call("read_text_file", { [name]: "a.txt" })).toBe("one\ntwo\nthree");
    expect(await place.call("read_text_file", { [name]: place.at("crlf.txt") })).toBe("a\r\nb\r\n");
  });

  it("numbers lines as coding agents expect them, and cuts out a part (E6)", async () => {
    expect(await place.call("Read", { file_path: "a.txt" })).toBe("     1\tone\n     2\ttwo\n     3\tthree");
    expect(await place.call("Read", { file_path: "a.txt", offset: 2, limit: 1 })).toBe("     2\ttwo");
    expect(await place.call("Read", { file_path: "a.txt", offset: 9 })).toContain("has 3 lines");
  });

  it("shows 2000 lines at most unless more are asked for (E6)", async () => {
    const lines = async (limit?: number) =>
      (await place.call("Read", { file_path: "lines.txt", ...(limit && { limit }) })).split("\n").length;
    expect([await lines(), await lines(2500)]).toEqual([2000, 2500]);
  });

  it("says where a long file is cut (D3)", async () => {
    place.put("long.txt", `${"x".repeat(99)}\n`.repeat(5000));
    const text = await place.call("read_text_file", { filepath: "long.txt" });
    expect(text.length).toBeLessThan(300_000);
    expect(text).toContain("[The file has 5000 lines, too long to show at once: read it in parts.]");
  });

  it.each([
    ["a.txt", "3"],
    ["crlf.txt", "2"],
    ["lines.txt", "3000"],
  ])("counts the lines of %s (D3)", async (filepath, count) => {
    expect(await place.call("count_text_file_lines", { filepath })).toBe(count);
  });

  it("counts lines of files that are longer than what is read at once (D3)", async () => {
    place.put("long.txt", `${"x".repeat(1_000_000)}\n${"y".repeat(1_000_000)}`);
    expect(await place.call("count_text_file_lines", { filepath: "long.txt" })).toBe("2");
    place.put("empty.txt", "");
    expect(await place.call("count_text_file_lines", { filepath: "empty.txt" })).toBe("0");
  });

  it.each([
    "read_text_file",
    "count_text_file_lines",
    "Read",
  ])("asks before %s reads an ignored file (D3)", async (name) => {
    const args = { file_path: "my.key" };
    expect(await place.tool(name).needsApproval(args)).toBe(true);
    expect((await place.examine(name, args)).asks).toEqual(["ignored-path"]);
    await expect(place.call(name, args)).rejects.toMatchObject({ code: "approval-needed" });
    expect(await place.granted(name, args)).toMatch(/SECRET|^1$/);
  });

  it("reads an approved file outside of the workspace, and binds the approval to where it lies (D6-targets)", async () => {
    writeFileSync(join(place.base, "outside.txt"), "far");
    symlinkSync("../outside.txt", place.at("link"));
    const examined = await place.examine("Read", { file_path: "link" });
    expect(examined).toMatchObject({
      asks: ["outside-workspace"],
      targets: [{ path: join(place.base, "outside.txt") }],
    });
    expect(await place.granted("Read", { file_path: "link" })).toBe("     1\tfar");
  });

  it.each<[string, (base: string) => void]>([
    [
      "another file under its name",
      () => {
        place.put("new.txt", "SECRET");
        renameSync(place.at("new.txt"), place.at("a.txt"));
      },
    ],
    [
      "a link under its name",
      () => {
        renameSync(place.at("a.txt"), place.at("b.txt"));
        symlinkSync("my.key", place.at("a.txt"));
      },
    ],
    ["another name", () => linkSync(place.at("a.txt"), place.at("b.txt"))],
  ])("reads nothing where the examined file has %s by then (D2)", async (_, meanwhile) => {
    await expect(
      place.granted("read_text_file", { filepath: "a.txt" }, () => meanwhile(place.base)),
    ).rejects.toMatchObject({ code: "target-changed" });
  });

  it("says at once that nothing lies at a path where anything might, and never what lies there later (D3)", async () => {
    const args = { filepath: "src/none.txt" };
    expect(await place.tool("read_text_file").needsApproval(args)).toBe(false);
    const late = place.granted("read_text_file", args, () => place.put("src/none.txt", "SECRET"));
    await expect(late).rejects.toMatchObject({ code: "invalid-request", why: "Nothing lies there." });
  });

  it.each([
    "none.key",
    "build/none.txt",
    "../none.txt",
    ".git/none",
  ])("asks before it says whether something lies at %s (D3)", async (filepath) => {
    mkdirSync(place.at("build"), { recursive: true });
    expect(await place.tool("read_text_file").needsApproval({ filepath })).toBe(true);
  });

  it("makes nothing of the lines that there is no room for (E6)", async () => {
    place.put("many.txt", Buffer.alloc(24 * 1024 * 1024, 10));
    const limit = Number.MAX_SAFE_INTEGER;
    const text = await place.call("Read", { file_path: "many.txt", limit });
    expect(text.startsWith("     1\t\n     2\t\n")).toBe(true);
    expect(text).toContain("[The file has 25165824 lines, too long to show at once");
    expect(text.length).toBeLessThan(300_000);
    const rest = await place.call("Read", { file_path: "many.txt", offset: 25_165_824, limit });
    expect(rest).toBe("25165824\t");
  });

  it.each([
    ["binary.bin", "It is no text"],
    ["src", "It is a folder."],
  ])("says why it can't read %s (D3)", async (filepath, why) => {
    mkdirSync(place.at("src"));
    await expect(place.call("read_text_file", { filepath })).rejects.toMatchObject({
      code: "invalid-request",
      why: expect.stringContaining(why),
    });
  });
});
