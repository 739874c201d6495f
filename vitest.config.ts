import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Many of a kind, of which `npm test` runs another; `npm run test:all` runs these too. */
const slow = [
  "bench/*.test.ts",
  "bypass/**/*.test.ts",
  "demo/model/**/*.test.ts",
  "src/cli/init/init.test.ts",
  "src/cli/journal/real-receivers.test.ts",
  "src/agents/roles/fixer-agent.test.ts",
  "src/cli/hook/{agent-paths,agent-search,agent-worktrees,instruction-files,user-words}.test.ts",
  "src/hooks/claude-code/expensive-settings.test.ts",
  "src/providers/openapi/{documents,expensive-document,hostile-documents}.test.ts",
  "src/providers/sql/postgres/{hostile-database,reading-holds}.test.ts",
  "src/providers/sql/postgres/reading/row-order.test.ts",
  "src/providers/workspace/{races,git/rule-files,paths/protected-names,tools/move-and-delete}.test.ts",
  "src/runtime/journal/ledger.test.ts",
  "test/conformance/{everything,inspector}.test.ts",
  "test/console/{accessibility,approval-lists,bench,hostile-values,live,policy,sessions,sign-in,speed}.test.ts",
  "test/faults/{approval-kill,gateway-kill-random,slow-requests,store-kill,workspace-approval-kill}.test.ts",
  "test/faults/{failing-operations,store-failed-sync,store-lost-writes,two-writers,upstream-faults}.test.ts",
  "test/faults/postgres-{disk-full,failover,failover-load,faults,restore,slow}.test.ts",
  "test/fuzz/*.test.ts",
  "test/scenarios/{mcp-approval-state,mcp-approvals-stdio,planner-resume,postgres-gateways}.test.ts",
  "test/package/whole-package.test.ts",
  "test/workspace/{path-catalogue,path-processes,races,random-trees}.test.ts",
];

/** Starts Chromium. */
const browser = ["test/console/approvals.test.ts"];

/**
 * Starts processes, servers or threads, or works on databases, repositories and other files. Here too files share a
 * process, so each puts back what it changes of it; the environment is put back after each.
 */
const system = [
  "demo/**/*.test.ts",
  "examples/**/*.test.ts",
  "src/agents/roles/**/*.test.ts",
  "src/cli/**/*.test.ts",
  "src/providers/openapi/**/*.test.ts",
  "src/providers/sql/gate.test.ts",
  "src/providers/sql/postgres/**/*.test.ts",
  "src/providers/sql/sqlite/sqlite-engine.test.ts",
  "src/detectors/scanner.test.ts",
  "src/gateway/**/{console-files,events,shares,shutdown}.test.ts",
  "src/providers/mcp/**/*.test.ts",
  "src/stores/**/{busy,file-guard,leases,postgres,runner-lock,sqlite,sqlite-file,threaded-writer}.test.ts",
  "src/providers/workspace/**/*.test.ts",
  "test/conformance/**/*.test.ts",
  "test/console/**/*.test.ts",
  "test/examples.test.ts",
  "test/faults/**/*.test.ts",
  "test/package/**/*.test.ts",
  "test/scenarios/**/*.test.ts",
  "test/workspace/**/*.test.ts",
];

/** Pure and in memory, so that files may share a process and what it has loaded. */
const unit = [
  "bench/agentdojo/*.test.ts",
  "src/**/*.test.ts",
  "spec/**/*.test.ts",
  "test/*.test.ts",
  "test/adapters/**/*.test.ts",
  "test/linearizability/*.test.ts",
  "test/pins/**/*.test.ts",
  "test/properties/**/*.test.ts",
];

/** What takes longest begins first, so that no worker is left with it while the others have nothing to do. */
const long = [
  "bypass/bypass",
  "scenarios/bypass",
  "console/accessibility",
  "hook/hook",
  "properties/plan",
  "properties/decide",
  "faults/store-kill",
  "faults/gateway-kill",
  "package/package",
  "workspace/path-",
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => long.some((name) => moduleId.includes(`/${name}`));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

// Workers and the many programs that tests start needn't compile the same modules again.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules/.cache/tests");

const times = { testTimeout: 120_000, hookTimeout: 60_000, expect: { poll: { timeout: 30_000 } } };
const sharing = { isolate: false, setupFiles: "test/restore-environment.ts" };
/** Node runs our TypeScript as it is; loading it through Vite takes a little longer. */
const native = { experimental: { viteModuleRunner: false, nodeLoader: false } };
const bundledCommand = "test/bundled-command.ts";
const browserToo = [bundledCommand, "test/console/global-setup.ts"];

export default defineConfig({
  test: {
    reporters: ["default", "./test/closing-line.ts"],
    maxWorkers: "100%",
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: { name: "unit", include: unit, exclude: [...system, ...slow], ...sharing, ...native, ...times },
      },
      // Vite compiles its JSX.
      { test: { name: "console", include: ["console/src/**/*.test.ts"], ...sharing, ...times } },
      {
        test: {
          name: "system",
          include: system,
          exclude: [...browser, ...slow],
          globalSetup: bundledCommand,
          ...sharing,
          ...native,
          ...times,
        },
      },
      { test: { name: "browser", include: browser, globalSetup: browserToo, ...times } },
      { test: { name: "slow", include: slow, globalSetup: browserToo, ...times } },
    ],
  },
});
