/** For the tests of what an agent's settings start: a project with one file of settings at a time. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isNamedBySettings } from "./settings-programs.ts";

/** Settings of Claude Code with a hook that runs a command. */
export const hooks = (command: string, more: object = {}): string =>
  JSON.stringify({
    hooks: { PostToolUse: [{ matcher: "Edit", hooks: [{ type: "command", command, ...more }] }] },
  });

export interface SettingsProject {
  readonly root: string;
  /** Whether a file is named where this one of the agent's files lies in the project. */
  isNamed(name: string, text: string, file: string): Promise<boolean>;
  close(): void;
}

export function openProject(): SettingsProject {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sluicegate-settings-")));
  return {
    root,
    isNamed: async (name, text, file) => {
      const path = join(root, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      const found = await isNamedBySettings({
        ...{ root, cwd: root, settings: null, projects: [root], listed: [path] },
        environment: { HOME: join(root, "home") },
        written: [join(root, file).toLowerCase()],
      });
      rmSync(path);
      return found;
    },
    close: () => rmSync(root, { recursive: true, force: true }),
  };
}
