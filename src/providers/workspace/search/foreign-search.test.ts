import { afterEach, expect, it, vi } from "vitest";
import { sharedRunner } from "../git/runner.ts";
import { openTestWorkspace } from "../workspace.test-kit.ts";
import { examineForeignSearch } from "./foreign-search.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

it("asks git about many worktrees at once (D2)", async () => {
  const place = openTestWorkspace({ "a.txt": "x" });
  try {
    place.git("add", ".");
    place.git("commit", "-qm", "a");
    for (let at = 0; at < 5; at += 1) place.git("worktree", "add", "-q", `trees/${at}`, "-b", `tree-${at}`);
    const run = sharedRunner().run;
    const open = new Map<string, number>();
    let most = 0;
    vi.spyOn(sharedRunner(), "run").mockImplementation(async (call) => {
      open.set(call.cwd, (open.get(call.cwd) ?? 0) + 1);
      most = Math.max(most, [...open.values()].filter((count) => count > 0).length);
      return run(call).finally(() => open.set(call.cwd, (open.get(call.cwd) ?? 1) - 1));
    });
    const search = { path: ".", options: ["--hidden", "--glob", "!.git"], env: {}, searchable: [] };
    const shown = await examineForeignSearch({ root: place.root, protect: [] }, search);
    expect(shown.asks).toEqual([]);
    expect(most).toBeGreaterThan(4);
  } finally {
    place.close();
  }
});
