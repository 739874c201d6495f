import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/fixtures/temporary-folder.ts";
import { checkConsole } from "./built-console.ts";

const { path } = temporaryFolder();
const BUILT = 1_000;

/** Writes a file, and dates it and its folder. */
function put(folder: string, name: string, at: number): void {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "");
  utimesSync(file, at, at);
  utimesSync(dirname(file), at, at);
}

function makeConsole(): string {
  const folder = join(path("checkout"), "console");
  put(folder, "src/main.tsx", BUILT - 1);
  put(folder, "src/text/part.tsx", BUILT - 1);
  put(folder, "dist/index.html", BUILT);
  utimesSync(join(folder, "src"), BUILT - 1, BUILT - 1);
  return folder;
}

describe("a built console", () => {
  it("is what its sources say where none of them is newer", () => {
    expect(checkConsole(makeConsole())).toBe("built");
  });

  it.each([
    "src/text/part.tsx",
    "index.html",
    "package.json",
    "../src/core/label/label.ts",
  ])("is old where %s is newer", (name) => {
    const folder = makeConsole();
    put(folder, name, BUILT + 1);
    expect(checkConsole(folder)).toBe("old");
  });

  it("is old where a source has gone", () => {
    const folder = makeConsole();
    rmSync(join(folder, "src/text/part.tsx"));
    expect(checkConsole(folder)).toBe("old");
  });

  it.each([
    "scripts/make.ts",
    "node_modules/a/index.js",
    "dist/assets/a.js",
    "../src/core/decide.ts",
  ])("doesn't depend on %s", (name) => {
    const folder = makeConsole();
    put(folder, name, BUILT + 1);
    expect(checkConsole(folder)).toBe("built");
  });

  it("is missing where there is no page, and never old where there are no sources", () => {
    const folder = makeConsole();
    rmSync(join(folder, "src"), { recursive: true });
    expect(checkConsole(folder)).toBe("built");
    rmSync(join(folder, "dist"), { recursive: true });
    expect(checkConsole(folder)).toBe("missing");
    expect(checkConsole(join(folder, "nowhere"))).toBe("missing");
  });
});
