import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TICKETS_JSON } from "../testing/tickets-document.ts";
import { loadConfig, loadPolicy } from "./load.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluicegate-config-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function fileWith(content: string | Uint8Array): Promise<string> {
  const path = join(folder, "sluicegate.yaml");
  await writeFile(path, content);
  return path;
}

describe("loading a policy file", () => {
  test("gives its absolute path and its servers relative to it, however it was named", async () => {
    const path = await fileWith("version: 1\nservers:\n  mail: { command: node, cwd: mail, tools: {} }\n");
    const config = await loadConfig(relative(process.cwd(), path), { environment: {} });
    expect(config.file).toBe(path);
    expect(config.servers.get("mail")?.transport).toMatchObject({ cwd: join(folder, "mail") });
  });

  test("looks variables up in this process where no others are given", async () => {
    const path = await fileWith(
      `version: 1\nservers:\n  mail: { command: "\${SLUICEGATE_TEST_COMMAND}", tools: {} }\n`,
    );
    process.env.SLUICEGATE_TEST_COMMAND = "node";
    const { servers } = await loadConfig(path);
    delete process.env.SLUICEGATE_TEST_COMMAND;
    expect(servers.get("mail")?.transport).toMatchObject({ command: "node" });
    await expect(loadConfig(path)).rejects.toThrow("The variable `SLUICEGATE_TEST_COMMAND` is not set.");
  });

  test("gives the policy alone where that is wanted", async () => {
    const path = await fileWith("version: 1\ntools:\n  search: { permissions: [read] }\n");
    expect((await loadPolicy(path)).tools.get("search")?.permissions).toEqual(["read"]);
  });

  test("names the file in its problems as it was asked for", async () => {
    const path = relative(process.cwd(), await fileWith("version: 2\n"));
    await expect(loadConfig(path)).rejects.toMatchObject({
      code: "policy-invalid",
      message: `${path}:1:10: \`version\` takes \`1\`, not \`2\`.`,
      why: "The policy file has a problem, so nothing of it was loaded.",
      details: { problems: [{ file: path, line: 1, column: 10, message: "`version` takes `1`, not `2`." }] },
    });
  });

  test("says why a file can't be read", async () => {
    await expect(loadConfig(join(folder, "none.yaml"))).rejects.toMatchObject({
      code: "policy-unreadable",
      why: "There is no such file.",
    });
    await expect(loadConfig(folder)).rejects.toMatchObject({
      code: "policy-unreadable",
      why: "It is a folder.",
    });
  });

  test("reads no more of an endless or a huge file than it may be long", async () => {
    const path = await fileWith(`version: 1\n${"# filling\n".repeat(1_000_000)}`);
    await expect(loadConfig(path)).rejects.toThrow(`${path}:1:1: The file is larger than 1 MiB.`);
    await fileWith(`version: 1\n# ${"é".repeat(600_000)}\nzebra: 1\n`);
    await expect(loadConfig(path)).rejects.toThrow(`${path}:1:1: The file is larger than 1 MiB.`);
    await expect(loadConfig("/dev/zero")).rejects.toThrow("/dev/zero:1:1: The file is larger than 1 MiB.");
  });

  test("points at the first line that is no UTF-8", async () => {
    const path = await fileWith(Buffer.from("version: 1\n# caf\xe9\n", "latin1"));
    await expect(loadConfig(path)).rejects.toThrow(
      `${path}:2:1: This line is not UTF-8 text. Save the file as UTF-8.`,
    );
  });
});

describe("loading what a policy file names", () => {
  const POLICY = `version: 1
include: [more/dbs.yaml]
apis: { tickets: { spec: more/t.json, base_url: "http://127.0.0.1:1", sensitivity: internal } }
`;
  const write = async (path: string, content: string | Uint8Array) => {
    await mkdir(join(folder, "more"), { recursive: true });
    await writeFile(join(folder, "more", path), content);
  };

  test("reads included files and documents, each relative to the file that names it (A5)", async () => {
    await write("dbs.yaml", "databases: { crm: { type: sqlite, dbname: crm.db, sensitivity: secret } }\n");
    await write("t.json", TICKETS_JSON);
    const { databases, apis } = await loadConfig(await fileWith(POLICY), { environment: {} });
    expect(databases.get("crm")?.connection).toEqual({
      type: "sqlite",
      path: join(folder, "more", "crm.db"),
    });
    expect(apis.get("tickets")?.operations).toHaveLength(4);
  });

  test("names each file as it was asked for, and says why one can't be read", async () => {
    await write("dbs.yaml", "databases: { crm: { type: sqlite, dbname: crm.db, zebra: 1 } }\n");
    await rm(join(folder, "more", "t.json"), { force: true });
    const path = relative(process.cwd(), await fileWith(POLICY));
    const dbs = join(relative(process.cwd(), folder), "more", "dbs.yaml");
    await expect(loadConfig(path, { environment: {} })).rejects.toMatchObject({
      code: "policy-invalid",
      details: {
        problems: [
          {
            file: path,
            line: 3,
            column: 26,
            message: "The file `more/t.json` can't be read. There is no such file.",
          },
          { file: dbs, line: 1, column: 51, message: "Unknown key `zebra`." },
        ],
      },
    });
  });

  test.each([
    ["an endless file", "/dev/zero", "/dev/zero", "It is no plain file.", "It is no plain file."],
    ["a folder", ".", ".", "It is a folder.", "It is a folder."],
    [
      "what is no text",
      "more/dbs.yaml",
      "more/t.json",
      "Its line 2 is not UTF-8 text.",
      "Its line 2 is not UTF-8 text.",
    ],
  ])("refuses %s", async (_, include, spec, whyInclude, whySpec) => {
    await write("dbs.yaml", Buffer.from("a: 1\n# caf\xe9\n", "latin1"));
    await write("t.json", Buffer.from("a: 1\n# caf\xe9\n", "latin1"));
    const path = await fileWith(
      `version: 1\ninclude: [${include}]\napis: { t: { spec: ${spec}, base_url: "http://x" } }\n`,
    );
    const fix = "Paths are relative to the file that they stand in.";
    await expect(loadConfig(path, { environment: {} })).rejects.toThrow(
      `${path}:2:11: The file \`${include}\` can't be read. ${whyInclude} ${fix}\n${path}:3:20: The file \`${spec}\` can't be read. ${whySpec} ${fix}`,
    );
  });
});
