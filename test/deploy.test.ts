/** The files in `deploy` say what the command line takes. No container runtime is needed, and none was: docs/deployment.md says so. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { COMMANDS } from "../src/cli/commands.ts";

const read = (file: string): string =>
  readFileSync(join(resolve(import.meta.dirname, "../deploy"), file), "utf8");
const compose = parse(read("compose.yaml"));
const [, containerArgs = "[]"] = /^CMD (\[.*\])$/m.exec(read("Containerfile")) ?? [];
const unit = (key: string): readonly string[] =>
  (new RegExp(`^${key}=\\S+ (.*)$`, "m").exec(read("sluicegate.service"))?.[1] ?? "").split(" ");

describe("the files of a deployment", () => {
  it.each<[string, readonly string[]]>([
    ["the container", JSON.parse(containerArgs)],
    ["compose", compose.services.gateway.command],
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
  });
});
