import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toToolId, WORKSPACE_TOOLS } from "../../core/index.ts";
import { loadConfig } from "../document/load.ts";
import { parseNow } from "../testing/parse-now.ts";
import { problemsOf } from "../testing/problems-of.ts";

const CASES: readonly { title: string; text: string; lines: readonly string[] }[] = [
  {
    title: "names that it doesn't have, and what it can't say of a tool",
    text: `version: 1
workspace:
  root: .
  colour: red
  tools:
    Raed: { approval: never }
    "Re*": { approval: never }
    zebra: {}
    Write: { permissions: [write], approval: arg.x == 1, sink: nowhere, source: { categories: [hr] } }
`,
    lines: [
      "p.yaml:4:3: Unknown key `colour`. `workspace` takes `root`, `source` and `tools`.",
      "p.yaml:6:5: The workspace has no tool `Raed`; did you mean `Read`?",
      "p.yaml:7:5: The tools of the workspace are named one by one, without `*`. They are `read_text_file`, `count_text_file_lines`, `list_dir`, `list_working_tree`, `search_by_regex`, `write_text_file`, `edit_text_file`, `create_dir`, `delete_file`, `rename`, `run_command`, `Read` and 5 more.",
      "p.yaml:8:5: The workspace has no tool `zebra`. It has `read_text_file`, `count_text_file_lines`, `list_dir`, `list_working_tree`, `search_by_regex`, `write_text_file`, `edit_text_file`, `create_dir`, `delete_file`, `rename`, `run_command`, `Read` and 5 more.",
      "p.yaml:9:14: Unknown key `permissions`. A tool of the workspace takes `source`, `sink`, `tags`, `approval`, `on_violation` and `approvers`.",
      "p.yaml:9:46: There is no `arg` in a condition; did you mean `args`?",
      "p.yaml:9:64: Unknown level `nowhere`. The levels are `public`, `internal`, `confidential` and `secret`.",
      "p.yaml:9:96: Unknown category `hr`. Declare it under `categories`.",
    ],
  },
  {
    title: "a server of its name, and its tools declared a second time",
    text: `version: 1
servers:
  workspace: { command: node }
workspace: { root: . }
tools:
  mcp__workspace__Write: { permissions: [write] }
  mcp__workspace__Wriet: { permissions: [write] }
  "mcp__workspace__*": { permissions: [write] }
`,
    lines: [
      "p.yaml:3:3: `workspace` is the server of the workspace's own tools, so no other can be called so. Give the server another name.",
      "p.yaml:6:3: `mcp__workspace__Write` is declared by `workspace` already. Declare it under the `tools` of `workspace`.",
      "p.yaml:7:3: The workspace has no tool `Wriet`; did you mean `Write`?",
    ],
  },
  {
    title: "no root, and a root of the wrong kind",
    text: `version: 1
workspace: { source: internal }
tools: { mcp__bank__x: { permissions: [] } }
`,
    lines: [
      "p.yaml:2:12: `root` is missing. Name the folder, relative to the policy file: `root: .`.",
      "p.yaml:3:10: `mcp__bank__x` is for a server `bank`, which is not configured. Configured are `workspace`.",
    ],
  },
  {
    title: "a tool of a workspace that isn't there",
    text: `version: 1
tools: { mcp__workspace__Read: { permissions: [] } }
workspace:
`.replace("workspace:\n", ""),
    lines: [
      "p.yaml:2:10: `mcp__workspace__Read` is for a server `workspace`, which is not configured. Add a `workspace` to the file, such as `workspace: { root: . }`.",
    ],
  },
];

describe("a workspace in a policy file", () => {
  test.each(CASES)("is refused for $title (X1-policy)", ({ text, lines }) => {
    expect(problemsOf(text)).toEqual(lines);
  });

  test("is a server whose every tool is classified, with what the file says of some", () => {
    const { policy, workspace, servers } = parseNow(
      `version: 1
levels: [low, high]
workspace:
  root: project
  source: { level: high, trust: untrusted }
  tools:
    Read: { approval: always, tags: [files], source: low }
    Write: { approval: never, on_violation: deny, sink: low }
    Bash: { approval: 'args.command != "ls"' }
roles:
  reader: { tools: [Read, Grep, mcp__workspace__list_dir] }
`,
      { file: "/etc/sluicegate/p.yaml", environment: {} },
    );
    expect(workspace).toEqual({ root: "/etc/sluicegate/project" });
    expect([...servers.keys()]).toEqual([]);
    expect([...policy.tools.keys()].sort()).toEqual(
      Object.keys(WORKSPACE_TOOLS)
        .map((name) => toToolId("workspace", name))
        .sort(),
    );
    const tool = (name: string) => policy.tools.get(toToolId("workspace", name));
    expect(tool("Grep")).toMatchObject({ permissions: ["read"], approval: "never", clearances: null });
    expect(tool("Grep")?.source).toMatchObject({ level: "high", trust: "untrusted" });
    expect(tool("Read")).toMatchObject({ approval: "always", tags: ["files"], source: { level: "low" } });
    expect(tool("Edit")).toMatchObject({
      approval: "always",
      onViolation: "ask",
      clearances: [{ level: "high" }],
    });
    expect(tool("Write")).toMatchObject({
      approval: "never",
      onViolation: "deny",
      clearances: [{ level: "low" }],
    });
    expect(tool("Bash")).toMatchObject({ approval: { when: 'args.command != "ls"' }, onViolation: "ask" });
    expect(policy.roles.get("reader")?.removed.has(toToolId("workspace", "Write"))).toBe(true);
  });
});

describe("the root of a workspace", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sluicegate-config-"));
    await mkdir(join(folder, "project"));
    await writeFile(join(folder, "file.txt"), "");
  });
  afterAll(() => rm(folder, { recursive: true }));

  const load = async (root: string) => {
    const path = join(folder, "sluicegate.yaml");
    await writeFile(path, `version: 1\nworkspace: { root: ${root}, zebra: 1 }\n`);
    return loadConfig(path, { environment: {} });
  };

  test.each([
    ["missing", "does not exist"],
    ["file.txt", "is no folder"],
    ["file.txt/below", "can't be read"],
  ])("%s is told among all other problems (X1-policy)", async (root, problem) => {
    const path = join(folder, "sluicegate.yaml");
    await expect(load(root)).rejects.toThrow(
      [
        `${path}:2:20: The \`root\` of the workspace, \`${root}\`, ${problem}. Name a folder, relative to the policy file.`,
        `${path}:2:${22 + root.length}: Unknown key \`zebra\`. \`workspace\` takes \`root\`, \`source\` and \`tools\`.`,
      ].join("\n"),
    );
  });

  test("is a folder beside the file, or any other", async () => {
    const path = join(folder, "sluicegate.yaml");
    for (const root of ["project", ".", join(folder, "project")]) {
      await writeFile(path, `version: 1\nworkspace: { root: ${root} }\n`);
      const { workspace } = await loadConfig(path, { environment: {} });
      expect(workspace?.root).toBe(root === "." ? folder : join(folder, "project"));
    }
  });
});
