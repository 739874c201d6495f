/** Deletes files. */
import { unusable } from "../paths/examine-path.ts";
import { examineEnd, inFolderOf } from "../paths/examine-write.ts";
import { previewOf } from "../text/diff.ts";
import { removeFile } from "../text/move-file.ts";
import { path, type Values } from "./arguments.ts";
import { relativeTo, shownName, textResult } from "./results.ts";
import { toolOf } from "./workspace-tool.ts";

const DELETED = {
  path: path("The file to delete, relative to the workspace or absolute.", "filepath", "file_path"),
};

export const DELETE_FILE = toolOf({
  name: "delete_file",
  description: "Deletes a file of the workspace. It deletes no folders and no links.",
  parameters: DELETED,
  examine: async (place, { path }: Values<typeof DELETED>) => {
    const { found, bytes } = await examineEnd(place, path);
    const isShown = found.problem === null && found.path !== null && bytes !== null;
    const preview = isShown ? previewOf(relativeTo(place.root, found.path), bytes, null) : undefined;
    return { ...found.shown, ...(preview !== undefined && { preview }), state: found };
  },
  execute: async ({ root }, found) => {
    const { before, path } = found;
    if (found.problem !== null) throw found.problem;
    if (before === null || path === null)
      throw unusable("Nothing lies there.", "List the folder to see what does.");
    await inFolderOf(found, (folder, name) => removeFile({ folder, name }, before));
    return textResult(`Deleted ${shownName(relativeTo(root, path))}.`);
  },
});
