import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
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
