import { lstatSync, renameSync, symlinkSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { toIdentity } from "../paths/file-identity.ts";
import { openTestWorkspace, type TestWorkspace } from "../workspace.test-kit.ts";
import { type SearchedFile, searchFiles } from "./ripgrep.ts";
import { readEvents } from "./ripgrep-events.ts";

let place: TestWorkspace;
beforeEach(() => {
  place = openTestWorkspace({ "a.txt": "NEEDLE a\n", "my.key": "NEEDLE SECRET\n", "b.txt": "NEEDLE b\n" });
});
afterEach(() => place.close());

const QUERY = { pattern: "NEEDLE", ignoreCase: false, multiline: false, before: 0, after: 0, limit: 100 };

const checked = (name: string): SearchedFile => ({
  name,
  path: place.at(name),
  identity: toIdentity(lstatSync(place.at(name), { bigint: true })),
});

const found = async (files: readonly SearchedFile[]) =>
  (await searchFiles(files, QUERY)).files.flatMap(({ lines }) => lines.map(({ text }) => text));

describe("what ripgrep says", () => {
  it("counts where it stands in the file that was checked (D4)", async () => {
    expect(await found([checked("a.txt"), checked("b.txt")])).toEqual(["NEEDLE a", "NEEDLE b"]);
  });

  it("counts for nothing where the file was swapped for a link after it was checked (D4)", async () => {
    const files = [checked("a.txt"), checked("b.txt")];
    renameSync(place.at("a.txt"), place.at("old.txt"));
    symlinkSync("my.key", place.at("a.txt"));
    expect(await found(files)).toEqual(["NEEDLE b"]);
  });

  it("is nothing, rather than a failure, where the whole folder went away after it was checked (D4)", async () => {
    place.put("sub/c.txt", "NEEDLE c\n");
    const files = [checked("sub/c.txt"), checked("b.txt")];
    renameSync(place.at("sub"), place.at("moved"));
    expect(await found(files)).toEqual(["NEEDLE b"]);
  });

  it("is read also where it was cut off, or isn't text", () => {
    const event = (lines: object) =>
      JSON.stringify({
        type: "match",
        data: { path: { text: "a" }, lines, line_number: 1, absolute_offset: 0, submatches: [] },
      });
    const bytes = Buffer.from([0xff, 0x0a]);
    const output = [
      event({ text: "x\n" }),
      event({ bytes: bytes.toString("base64") }),
      event({}),
      '{"type":"match","da',
    ];
    expect(
      readEvents(Buffer.from(output.join("\n")))
        .get("a")
        ?.map((each) => each.bytes),
    ).toEqual([Buffer.from("x\n"), bytes]);
  });
});
