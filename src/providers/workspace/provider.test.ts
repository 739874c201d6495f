import { renameSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ToolProvider } from "../../runtime/index.ts";
import { createWorkspaceProvider } from "./provider.ts";
import { openTestWorkspace, type TestWorkspace, textOf } from "./workspace.test-kit.ts";
import { createWorkspace } from "./workspace.ts";

let place: TestWorkspace;
let provider: ToolProvider;
beforeEach(() => {
  place = openTestWorkspace({ "a.txt": "a\n", "my.key": "SECRET" });
  provider = createWorkspaceProvider(place.workspace);
});
afterEach(() => place.close());

/** As the gate does it, once it allows the call. */
const call = async (tool: string, args: Record<string, unknown>, meanwhile?: () => void) => {
  const examined = await provider.examine?.(tool, args);
  meanwhile?.();
  return provider.run(tool, args, examined === undefined ? {} : { examined });
};

describe("a workspace as a server", () => {
  it("offers its tools with what they take (D3, E6)", async () => {
    await provider.settled;
    expect([provider.id, provider.status, provider.problem]).toEqual(["workspace", "ready", null]);
    expect(provider.tools.get("Edit")).toMatchObject({
      name: "Edit",
      inputSchema: {
        type: "object",
        properties: { file_path: { type: "string" }, old_string: {}, new_string: {}, replace_all: {} },
        required: ["file_path", "old_string", "new_string"],
      },
      annotations: { readOnlyHint: false },
    });
    expect(provider.tools.size).toBe(place.workspace.tools.size);
  });

  it("protects paths below its folder, wherever the program stands (D3)", async () => {
    const workspace = createWorkspace({ root: place.root, protect: ["store.db"] });
    place.put("store.db", "SECRET");
    const write = workspace.tools.get("Write");
    expect(await write?.examine({ file_path: "store.db", content: "" })).toMatchObject({ isProtected: true });
    expect(await write?.examine({ file_path: "b.db", content: "" })).not.toHaveProperty("isProtected");
    expect(await workspace.tools.get("Read")?.needsApproval({ file_path: "store.db" })).toBe(true);
    workspace.close();
  });

  it("runs what was examined (D3)", async () => {
    expect(textOf(await call("Read", { file_path: "my.key" }))).toBe("     1\tSECRET");
    await call("Write", { file_path: "a.txt", content: "new" });
    expect(place.get("a.txt")).toBe("new");
  });

  it("examines a few calls of an agent at once, so that another's needn't wait for all of them (D3)", async () => {
    const ends: number[] = [];
    const start = performance.now();
    const examine = async (number: number): Promise<void> => {
      const args = { file_path: `new-${number}.txt`, content: "new" };
      await provider.examine?.("Write", args, undefined, { labelHolder: "greedy", principal: null });
      ends.push(performance.now() - start);
    };
    await Promise.all(Array.from({ length: 60 }, (_, number) => examine(number)));
    expect(ends[9]).toBeLessThan((ends[59] ?? 0) / 2);
  });

  it("runs nothing that asks where nobody examined it (D2)", async () => {
    const run = provider.run("Write", { file_path: "a.txt", content: "new" }, {});
    await expect(run).rejects.toMatchObject({ code: "approval-needed" });
    expect(place.get("a.txt")).toBe("a\n");
  });

  it("tells the gate where the target is another one by then (D6-targets)", async () => {
    const late = call("Write", { file_path: "a.txt", content: "new" }, () =>
      renameSync(place.at("my.key"), place.at("a.txt")),
    );
    await expect(late).rejects.toMatchObject({ code: "target-changed" });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["Read", { file_path: "none.txt" }, "Nothing lies there."],
    ["Read", { file: "a.txt" }, "no argument `file`"],
    ["Write", { file_path: "a.txt" }, "`content` is missing"],
    ["Grep", { pattern: "(" }, "regular expression"],
    ["Glob", { pattern: "{a,b}".repeat(20) }, "glob pattern"],
    ["Edit", { file_path: "a.txt", old_string: "zzz", new_string: "" }, "isn't in the file"],
  ])("says in the result of %s with %j what is wrong (D3)", async (tool, args, said) => {
    const result = await call(tool, args);
    expect([result.isError, textOf(result)]).toEqual([true, expect.stringContaining(said)]);
    expect(place.get("a.txt")).toBe("a\n");
  });

  it("ends with the call that it belongs to (D3)", async () => {
    const args = { command: "touch started; sleep 60" };
    const examined = await provider.examine?.("Bash", args);
    const ending = new AbortController();
    const run = provider.run("Bash", args, { signal: ending.signal, ...(examined && { examined }) });
    run.catch(() => undefined);
    await expect.poll(() => place.has("started"), { timeout: 10_000 }).toBe(true);
    ending.abort(new Error("the client left"));
    await expect(run).rejects.toThrow("the client left");
  });

  it("is closed for good, with its workspace (D3)", async () => {
    let changes = 0;
    provider.watch(() => {
      changes += 1;
    });
    await provider.close();
    await provider.close();
    expect([provider.status, changes]).toEqual(["closed", 1]);
    await expect(provider.run("Read", { file_path: "a.txt" }, {})).rejects.toMatchObject({
      code: "upstream-unavailable",
    });
    await expect(provider.examine?.("Read", { file_path: "a.txt" })).rejects.toMatchObject({
      code: "upstream-unavailable",
    });
  });
});
