/** The dependency rule of `docs/architecture.md`, read off the imports themselves. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { SHARED_SOURCES } from "../src/cli/built-console.ts";

const SOURCE = resolve(import.meta.dirname, "../src");

const BELOW_PROVIDERS = ["runtime", "core", "json", "errors", "threads"];
/** They take what a policy declares as it is, so that its types have one owner. */
const BELOW_DECLARED = [...BELOW_PROVIDERS, "policy-file"];

/** What each folder may import: folders of ours, and packages (`node:` stands for Node's own modules). */
const RULES: Readonly<Record<string, { folders: readonly string[]; packages: readonly string[] }>> = {
  errors: { folders: [], packages: [] },
  json: { folders: ["errors"], packages: ["node:"] },
  core: { folders: ["errors"], packages: [] },
  threads: { folders: ["json"], packages: ["node:"] },
  "policy-file": {
    folders: ["core", "json", "errors"],
    packages: ["yaml", "zod", "@marcbachmann/cel-js", "node:"],
  },
  runtime: { folders: ["core", "json", "errors", "threads"], packages: ["node:"] },
  stores: { folders: ["runtime", "core", "json", "errors"], packages: ["node:", "pg"] },
  providers: {
    folders: ["providers/sql", "providers/openapi", "runtime", "core", "errors"],
    packages: ["node:"],
  },
  "providers/mcp": { folders: BELOW_PROVIDERS, packages: ["node:", "@modelcontextprotocol/client", "zod"] },
  "providers/sql": { folders: BELOW_DECLARED, packages: ["node:", "pg", "libpg-query"] },
  "providers/openapi": { folders: BELOW_DECLARED, packages: ["node:", "@readme/openapi-parser", "zod"] },
  "providers/workspace": { folders: BELOW_PROVIDERS, packages: ["node:", "diff", "@vscode/ripgrep"] },
  detectors: {
    folders: ["runtime", "core", "errors", "threads"],
    packages: ["node:", "@secretlint/core", "@secretlint/secretlint-rule-preset-recommend"],
  },
  onboarding: {
    folders: ["core", "policy-file", "errors", "json"],
    packages: ["node:", "jsonc-parser", "yaml"],
  },
  adapters: {
    folders: ["runtime", "core", "json", "errors"],
    packages: ["ai", "@openai/agents", "langchain", "@langchain/core", "@langchain/langgraph"],
  },
  hooks: {
    folders: ["adapters", "providers/workspace", "runtime", "core", "json", "errors"],
    packages: ["node:", "yaml"],
  },
  agents: {
    folders: ["adapters", "providers/workspace", "stores", "runtime", "core", "json", "errors"],
    packages: ["node:", "ai"],
  },
  gateway: {
    folders: ["runtime", "providers/mcp", "policy-file", "core", "json", "errors", "threads"],
    packages: [
      "node:",
      "@modelcontextprotocol/server",
      "@modelcontextprotocol/client",
      "hono",
      "@hono/node-server",
      "@opentelemetry/api",
      "jose",
      "zod",
    ],
  },
  "index.ts": { folders: ["core", "runtime", "policy-file", "stores", "errors"], packages: [] },
  cli: {
    folders: [
      "core",
      "json",
      "errors",
      "policy-file",
      "runtime",
      "stores",
      "agents",
      "providers",
      "providers/mcp",
      "providers/workspace",
      "detectors",
      "onboarding",
      "adapters",
      "hooks",
      "gateway",
    ],
    packages: [
      "node:",
      "@opentelemetry/exporter-metrics-otlp-http",
      "@opentelemetry/exporter-trace-otlp-http",
      "@opentelemetry/resources",
      "@opentelemetry/sdk-metrics",
      "@opentelemetry/sdk-trace-base",
      "commander",
      "jsonc-parser",
      "yaml",
    ],
  },
};

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
  .map((file) => join(SOURCE, file));

const importsOf = (file: string): Import[] => {
  const text = readFileSync(file, "utf8");
  const found = text.matchAll(
    /(?:^|\n)\s*(?:import|export)\s+(type\s)?[^;"']*?from\s+"([^"]+)"|(?:^|[^.\w])import\(\s*"([^"]+)"\s*\)|(?:^|\n)import\s+"([^"]+)"/g,
  );
  return [...found].map(([, typeOnly, named, dynamic, bare]) => ({
    from: file,
    to: named ?? dynamic ?? bare ?? "",
    typeOnly: typeOnly !== undefined,
  }));
};

const imports = files.flatMap(importsOf);
/** Each kind of provider is a folder of its own. */
const folderOf = (file: string): string => {
  const [folder = "", kind = ""] = relative(SOURCE, file).split("/");
  return folder === "providers" && !kind.endsWith(".ts") ? `${folder}/${kind}` : folder;
};
const inProject = ({ to }: Import): boolean => to.startsWith(".");
const target = ({ from, to }: Import): string => resolve(dirname(from), to);
const shown = ({ from, to }: Import): string => `${relative(SOURCE, from)} → ${to}`;

describe("the layers", () => {
  it("finds the imports", () => {
    expect(files.length).toBeGreaterThan(50);
    expect(imports.length).toBeGreaterThan(200);
  });

  it("has a rule for every folder", () => {
    expect([...new Set(files.map(folderOf))].filter((folder) => !Object.hasOwn(RULES, folder))).toEqual([]);
  });

  it("lets a folder import only the folders below it", () => {
    const wrong = imports.filter(inProject).filter((edge) => {
      const [from, to] = [folderOf(edge.from), folderOf(target(edge))];
      return from !== to && !RULES[from]?.folders.includes(to);
    });
    expect(wrong.map(shown)).toEqual([]);
  });

  it("goes into another folder by its entries alone", () => {
    const direct = new Set(
      ["src/stores/memory.ts", "src/stores/sqlite/sqlite.ts"].map((file) => resolve(SOURCE, "..", file)),
    );
    const wrong = imports
      .filter(inProject)
      .filter(
        (edge) =>
          folderOf(edge.from) !== folderOf(target(edge)) && !/\/(index|internal)\.ts$/.test(target(edge)),
      )
      .filter((edge) => !(folderOf(edge.from) === "index.ts" && direct.has(target(edge))))
      // Each adapter is an entry of its own, each file of `json`, and what hooks share with an adapter.
      .filter((edge) => !/^(json|adapters(\/claude-code)?)\/[^/]+\.ts$/.test(relative(SOURCE, target(edge))))
      .filter((edge) => folderOf(edge.from) !== "cli");
    expect(wrong.map(shown)).toEqual([]);
  });

  it("lets a folder use only its own packages", () => {
    const wrong = imports.filter((edge) => {
      if (inProject(edge)) return false;
      const allowed = RULES[folderOf(edge.from)]?.packages ?? [];
      return !allowed.some((name) =>
        name === "node:" ? edge.to.startsWith(name) : edge.to === name || edge.to.startsWith(`${name}/`),
      );
    });
    expect(wrong.map(shown)).toEqual([]);
  });

  it("lets an adapter use its own SDK alone", () => {
    const sdks: Readonly<Record<string, readonly string[]>> = {
      "ai-sdk.ts": ["ai"],
      "openai-agents.ts": ["@openai/agents"],
      "langchain.ts": ["langchain", "@langchain/core", "@langchain/langgraph"],
    };
    const wrong = imports
      .filter(
        (edge) => folderOf(edge.from) === "adapters" && !inProject(edge) && !edge.to.startsWith("node:"),
      )
      .filter(({ from, to }) => {
        const own = sdks[relative(join(SOURCE, "adapters"), from)] ?? [];
        return !own.some((name) => to === name || to.startsWith(`${name}/`));
      });
    expect(wrong.map(shown)).toEqual([]);
  });

  it("decides on calls in one place: a door that decided by itself would miss what the session knows", () => {
    const deciding = files.filter((file) =>
      /import\s+\{[^}]*\bdecide\b[^}]*\}\s+from\s+"[^"]*core\/index\.ts"/.test(readFileSync(file, "utf8")),
    );
    expect(deciding.map((file) => relative(SOURCE, file))).toEqual([
      "runtime/calls/call-pipeline.ts",
      "runtime/calls/decide-asked.ts",
    ]);
  });

  it("has no cycle of value imports", () => {
    const edges = Map.groupBy(
      imports.filter((edge) => inProject(edge) && !edge.typeOnly),
      ({ from }) => from,
    );
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file))
        cycles.push(
          [...path.slice(path.indexOf(file)), file].map((step) => relative(SOURCE, step)).join(" → "),
        );
      if (path.includes(file) || done.has(file)) return;
      for (const edge of edges.get(file) ?? []) visit(target(edge), [...path, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(cycles).toEqual([]);
  });

  it("keeps the core pure: no clock, no randomness, no async, no globals", () => {
    const impure =
      /\b(async|await|Promise|Date|Math\.random|process|globalThis|setTimeout|console|performance|fetch)\b/;
    const wrong = files
      .filter((file) => ["core", "errors"].includes(folderOf(file)))
      .flatMap((file) =>
        readFileSync(file, "utf8")
          .replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g, "")
          .split("\n")
          .filter((line) => impure.test(line))
          .map((line) => `${relative(SOURCE, file)}: ${line.trim()}`),
      );
    expect(wrong).toEqual([]);
  });

  it("casts nowhere in the core", () => {
    const wrong = files
      .filter((file) => folderOf(file) === "core")
      .filter((file) =>
        /\bas (?!const\b)[A-Za-z{[]|\bany\b|\w!\./.test(
          readFileSync(file, "utf8").replaceAll(
            /\/\*[\s\S]*?\*\/|\/\/.*|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|import[^;]*;|export[^;]*from[^;]*;/g,
            "",
          ),
        ),
      );
    expect(wrong.map((file) => relative(SOURCE, file))).toEqual([]);
  });

  it("keeps files short: 400 lines at most, 250 in the core", () => {
    const long = files.filter((file) => {
      const lines = readFileSync(file, "utf8").split("\n").length;
      return lines > (folderOf(file) === "core" ? 250 : 400);
    });
    expect(long.map((file) => relative(SOURCE, file))).toEqual([]);
  });

  // Node's own reads some names wrongly.
  it("reads JSON documents with parseJson", () => {
    // They read single names and values.
    const own = ["cli/hook/json-text.ts", "json/json-scanner.ts"];
    const found = files.filter(
      (file) => !file.endsWith(".test-kit.ts") && /\bJSON\.parse\(/.test(readFileSync(file, "utf8")),
    );
    expect(found.map((file) => relative(SOURCE, file)).toSorted()).toEqual(own);
  });

  it("switches no check off", () => {
    const wrong = files.filter((file) =>
      /biome-ignore|@ts-ignore|@ts-nocheck|@ts-expect-error/.test(readFileSync(file, "utf8")),
    );
    expect(wrong.map((file) => relative(SOURCE, file))).toEqual([]);
  });

  it("names no file after nothing in particular", () => {
    const vague = /(^|\/)(utils?|helpers?|common|misc|types?)(\.ts|\/)/;
    expect(files.map((file) => relative(SOURCE, file)).filter((file) => vague.test(file))).toEqual([]);
  });
});

const CONSOLE = resolve(SOURCE, "../console");
const consoleFiles = readdirSync(join(CONSOLE, "src"), { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file) && !file.includes(".test."))
  .map((file) => join(CONSOLE, "src", file));

describe("the console", () => {
  const found = consoleFiles.flatMap(importsOf);
  const consoleShown = ({ from, to }: Import): string => `${relative(CONSOLE, from)} → ${to}`;

  it("imports its own files, and of the gateway's none but what both must say alike", () => {
    expect(found.length).toBeGreaterThan(20);
    const shared = new Set<string>(SHARED_SOURCES.map((file) => resolve(SOURCE, "..", file)));
    const outside = found
      .filter(inProject)
      .filter((edge) => !target(edge).startsWith(join(CONSOLE, "src/")) && !shared.has(target(edge)));
    expect(outside.map(consoleShown)).toEqual([]);
  });

  it("uses the packages that its package.json names, and nothing of Node", () => {
    const { devDependencies } = JSON.parse(readFileSync(join(CONSOLE, "package.json"), "utf8"));
    const packageOf = (to: string): string => to.split("/", to.startsWith("@") ? 2 : 1).join("/");
    const strange = found.filter(
      (edge) => !inProject(edge) && !Object.hasOwn(devDependencies, packageOf(edge.to)),
    );
    expect(strange.map(consoleShown)).toEqual([]);
  });

  it("makes no text into markup, and no code of a text", () => {
    const dangerous =
      /dangerouslySetInnerHTML|\.(inner|outer)HTML\b|insertAdjacentHTML|document\.write|\beval\(|new Function\b/;
    const wrong = consoleFiles.filter((file) => dangerous.test(readFileSync(file, "utf8")));
    expect(wrong.map((file) => relative(CONSOLE, file))).toEqual([]);
  });

  it("keeps files short, and switches no check off", () => {
    const wrong = consoleFiles
      .filter((file) => !file.endsWith("schema.d.ts"))
      .filter((file) => {
        const text = readFileSync(file, "utf8");
        return (
          text.split("\n").length > 400 || /biome-ignore|@ts-ignore|@ts-nocheck|@ts-expect-error/.test(text)
        );
      });
    expect(wrong.map((file) => relative(CONSOLE, file))).toEqual([]);
  });
});
