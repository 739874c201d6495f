/** A disk that is slow, and one that fails: what was refused doesn't count after a kill. */
import { execFileSync, spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { verifyStore } from "../../src/runtime/journal/verify-store.ts";
import { openSqliteStore } from "../../src/stores/index.ts";
import { readAll } from "../fixtures/sealed-events.ts";
import { temporaryFolder } from "../fixtures/temporary-folder.ts";

const { path } = temporaryFolder();
const fixture = (name: string): string => resolve(import.meta.dirname, "../fixtures", name);
/** A failing disk is a library that is preloaded into the process, which takes a C compiler. */
const hasCompiler = process.platform === "linux" && spawnSync("cc", ["--version"]).status === 0;

describe.skipIf(!hasCompiler)(
  "A SQLite store whose log can't be synchronised (needs Linux and a C compiler)",
  () => {
    const build = (): string => {
      const library = path("failing-sync.so");
      execFileSync("cc", ["-shared", "-fPIC", "-o", library, fixture("failing-sync.c"), "-ldl"]);
      return library;
    };

    it("delays no read, nor anything else, while a thread writes it to a slow disk (X15-sqlite)", () => {
      const trigger = path();
      const writer = spawnSync(process.execPath, [fixture("slow-sync-writer.ts"), path(), trigger], {
        env: { ...process.env, LD_PRELOAD: build(), FAIL_SYNC: trigger, SLOW_SYNC: "600000" },
        encoding: "utf8",
      });
      expect([writer.status, JSON.parse(writer.stdout).reads > 5]).toEqual([0, true]);
    });

    it.each([
      "",
      "again",
    ])("has none of what it refused after a kill (then written: %j; X15-sqlite, law-7)", async (again) => {
      const [file, trigger, library] = [path(), path(), build()];
      const writer = spawnSync(process.execPath, [fixture("failing-sync-writer.ts"), file, trigger, again], {
        env: { ...process.env, LD_PRELOAD: library, FAIL_SYNC: trigger },
        encoding: "utf8",
      });
      const refused = ["store-failed", "store-failed", "store-failed"];
      expect(JSON.parse(writer.stdout)).toEqual(again ? [...refused, 2] : refused);
      expect(writer.signal).toBe("SIGKILL");
      const store = openSqliteStore(file);
      expect((await readAll(store, "s")).map(({ data }) => data)).toEqual(
        Array(again ? 2 : 1).fill({ acknowledged: true }),
      );
      expect(await store.keptWith("", 9)).toEqual([]);
      expect((await verifyStore(store)).problems).toEqual([]);
      await store.close();
    });
  },
);
