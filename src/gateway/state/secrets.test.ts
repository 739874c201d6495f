import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/temporary-folder.ts";
import { systemRandom } from "../../runtime/index.ts";
import { assertStoreNotLost, readSecrets, tokenFileOf } from "./secrets.ts";

const { path } = temporaryFolder();
const readBeside = (storeFile: string, token?: string, key?: string) =>
  readSecrets({ storeFile, token, key, random: systemRandom });

describe("The gateway's secrets", () => {
  it("are made once, for their owner alone, and nothing else is left beside them", () => {
    const storeFile = path();
    const made = readBeside(storeFile);
    expect(made).toMatchObject({ operatorToken: expect.stringMatching(/^sgo_[0-9a-f]{64}$/), fresh: true });
    expect(readBeside(storeFile)).toEqual({ ...made, fresh: false });
    const files = readdirSync(dirname(storeFile)).filter((name) => name.startsWith(basename(storeFile)));
    expect(files.sort()).toEqual([".key", ".token"].map((end) => basename(storeFile) + end));
    for (const end of [".key", ".token"]) expect(statSync(storeFile + end).mode & 0o777).toBe(0o600);
  });

  it("may be an operator's own token, in the environment or in the file", () => {
    const storeFile = path();
    expect(readBeside(storeFile, "an-operators-own-token").operatorToken).toBe("an-operators-own-token");
    expect(existsSync(tokenFileOf(storeFile))).toBe(false);
    writeFileSync(tokenFileOf(storeFile), "another-token-of-their-own\n", { mode: 0o600 });
    expect(readBeside(storeFile)).toMatchObject({
      operatorToken: "another-token-of-their-own",
      fresh: false,
    });
  });

  it("take the first start's key from the environment, and no other later (X16)", () => {
    const storeFile = path();
    const [one, other] = ["1f".repeat(32), "2e".repeat(32)];
    expect(() => readBeside(storeFile, undefined, "too-short")).toThrow(
      expect.objectContaining({ code: "usage", why: "It must be 32 bytes or more, in hex." }),
    );
    expect(readBeside(storeFile, undefined, one).key).toEqual(Buffer.from(one, "hex"));
    expect(readBeside(storeFile).key).toEqual(Buffer.from(one, "hex"));
    expect(() => readBeside(storeFile, undefined, other)).toThrow(
      expect.objectContaining({ why: expect.stringContaining("from an earlier start") }),
    );
  });

  it.each([
    [".token", "token file", (_whole: string) => ""],
    [".token", "token file", (_whole: string) => "\n"],
    [".token", "token file", (whole: string) => whole.slice(0, 10)],
    [".token", "token file", (whole: string) => whole.slice(0, 40)],
    [".token", "token file", (whole: string) => `${whole.slice(0, 40)}\0\0\0\0`],
    [".key", "key file", (_whole: string) => ""],
    [".key", "key file", (whole: string) => whole.slice(0, 63)],
    [".key", "key file", (whole: string) => `${whole.trim()}zz`],
  ])("are refused where %s is not whole, which is left as it is (law-9)", (end, name, cut) => {
    const storeFile = path();
    readBeside(storeFile);
    const left = cut(readFileSync(storeFile + end, "utf8"));
    writeFileSync(storeFile + end, left);
    expect(() => readBeside(storeFile)).toThrow(
      expect.objectContaining({
        code: "store-damaged",
        message: `The ${name} ${storeFile}${end} can't be used.`,
        fix: expect.stringContaining("delete it"),
      }),
    );
    expect(readFileSync(storeFile + end, "utf8")).toBe(left);
  });

  it("say what is wrong where they can't be read or made", () => {
    const [unreadable, nowhere] = [path(), `${path()}/nowhere/store.sqlite`];
    mkdirSync(`${unreadable}.key`);
    for (const storeFile of [unreadable, nowhere]) {
      expect(() => readBeside(storeFile)).toThrow(expect.objectContaining({ code: "store-failed" }));
    }
  });

  it("are not made anew for a store that is gone", () => {
    const storeFile = path();
    readBeside(storeFile);
    expect(() => assertStoreNotLost(storeFile)).toThrow(
      expect.objectContaining({ code: "store-damaged", message: `The store ${storeFile} is gone.` }),
    );
  });
});
