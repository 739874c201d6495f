/** Makes folders. */

import { causeOf, unusable } from "../paths/examine-path.ts";
import { inFolderOf } from "../paths/examine-write.ts";
import { checkNewPath } from "../paths/new-path.ts";
import { path, type Values } from "./arguments.ts";
import { relativeTo, shownName, textResult } from "./results.ts";
import { toolOf } from "./workspace-tool.ts";

const MADE = { path: path("The folder to make, relative to the workspace or absolute.", "dir_path") };

export const CREATE_DIR = toolOf({
  name: "create_dir",
  description: "Makes a folder in the workspace, with those above it that are missing.",
  parameters: MADE,
  examine: async (place, { path }: Values<typeof MADE>) => {
    const found = await checkNewPath(place, path, "directory");
    if (found === null)
      return { asks: [await causeOf(place, path)], targets: [], preview: `${TAKEN}\n`, state: null };
    return {
      asks: found.asks,
      targets: [{ path: found.path, content: null }],
      ...(found.isProtected && { isProtected: true as const }),
      state: found,
    };
  },
  execute: async ({ root }, found) => {
    if (found === null) throw unusable(TAKEN, "List the folder to see what lies there.");
    await inFolderOf({ ...found, problem: null }, async (folder, name) => {
      await (await folder.makeFolder(name)).close();
      await folder.sync();
    });
    return textResult(`Made ${shownName(relativeTo(root, found.path))}/.`);
  },
});

const TAKEN = "Something lies there, or where it would lie can't be determined.";
