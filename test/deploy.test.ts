/** The files in `deploy` say what the command line takes. No container runtime is needed, and none was: docs/deployment.md says so. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { COMMANDS } from "../src/cli/commands.ts";

const read = (file: string): string =>
  readFileSync(join(resolve(import.meta.dirname, "../deploy"), file), "utf8");
const compose = parse(read("compose.yaml"));
const [, containerArgs = "[]"] = /^CMD (\[.*\])$/m.exec(read("Containerfile")) ?? [];
const unit = (key: string): readonly string[] =>
  (new RegExp(`^${key}=\\S+ (.*)$`, "m").exec(read("sluicegate.service"))?.[1] ?? "").split(" ");

/** The chart with every value in its place taken for a text: Helm itself is no package of this project's. */
const chart = parseAllDocuments(
  read("helm/templates/gateway.yaml")
    .replaceAll(/^ *\{\{-? (?:range|with|end).*\n/gm, "")
    .replaceAll(/\{\{-? toYaml .*\}\}/g, "{}")
    .replaceAll(/\{\{[^{}]*\}\}/g, "x"),
).map((document) => document.toJS());
const [{ spec: pod }] = chart.map(({ spec }) => spec.template ?? {});

describe("the files of a deployment", () => {
  it.each<[string, readonly string[]]>([
    ["the container", JSON.parse(containerArgs)],
    ["compose", compose.services.gateway.command],
    ["Helm's chart", pod.containers[0].args],
    ["systemd's start", unit("ExecStart")],
    ["systemd's reload", unit("ExecReload")],
  ])("start %s with words that the command line knows", async (_, [name = "", ...words]) => {
    const module = await COMMANDS.find((entry) => entry.name === name)?.load();
    const command = new Command();
    module?.setUp(command);
    const known = command.options.map(({ long }) => long);
    const given = words.filter((word) => word.startsWith("--"));
    expect(given.length).toBeGreaterThan(1);
    expect(given.filter((word) => !known.includes(word))).toEqual([]);
  });

  it("run as nobody special, on a root that can't be written", () => {
    expect(read("Containerfile")).toMatch(/^USER node$/m);
    expect(compose.services.gateway).toMatchObject({ read_only: true, cap_drop: ["ALL"] });
    expect(read("sluicegate.service")).toMatch(/^DynamicUser=yes$/m);
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true });
    expect(pod.containers[0].securityContext).toMatchObject({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
    });
  });

  it("have a chart whose templates use the values that there are, and every one of them", () => {
    const used = read("helm/templates/gateway.yaml").matchAll(/\.Values\.(\w+)/g);
    expect([...new Set([...used].map(([, name]) => name))].sort()).toEqual(
      Object.keys(parse(read("helm/values.yaml"))).sort(),
    );
  });

  it("have a dashboard of metrics, and labels of them, that the gateway has", () => {
    const sources = ["metrics.ts", "telemetry.ts"].map((file) =>
      readFileSync(resolve(import.meta.dirname, "../src/gateway", file), "utf8"),
    );
    const dashboard = JSON.parse(read("grafana-dashboard.json"));
    const names = dashboard.panels
      .flatMap(({ targets }: any) => targets)
      .flatMap(({ expr }: any) => [...expr.matchAll(/\b(?:sluicegate|mcp)_\w+(?=[[{)])/g)])
      .map(([name]: string[]) => name?.replace(/^sluicegate_|_seconds_bucket$/g, ""));
    expect(names).toHaveLength(13);
    const isCounted = (name: string) =>
      [name, name.replaceAll("_", "."), `sluicegate.${name}`].some((known) =>
        sources.some((text) => text.includes(`"${known}"`)),
      );
    expect(names.filter((name: string) => !isCounted(name))).toEqual([]);
  });
});
