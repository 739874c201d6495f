/** The tools of a workspace, each under its plain name or under the one that coding agents know. */

import { CREATE_DIR } from "./create-dir.ts";
import { DELETE_FILE } from "./delete-file.ts";
import { GLOB_TOOL, LIST_DIR, LIST_WORKING_TREE } from "./list-dir.ts";
import { COUNT_TEXT_FILE_LINES, READ, READ_TEXT_FILE } from "./read-file.ts";
import { RENAME } from "./rename.ts";
import { BASH, RUN_COMMAND } from "./run-command.ts";
import { GREP, SEARCH_BY_REGEX } from "./search.ts";
import type { UnboundTool } from "./workspace-tool.ts";
import { EDIT, EDIT_TEXT_FILE, WRITE, WRITE_TEXT_FILE } from "./write-file.ts";

export const ALL_TOOLS: readonly UnboundTool[] = [
  READ_TEXT_FILE,
  COUNT_TEXT_FILE_LINES,
  LIST_DIR,
  LIST_WORKING_TREE,
  SEARCH_BY_REGEX,
  WRITE_TEXT_FILE,
  EDIT_TEXT_FILE,
  CREATE_DIR,
  DELETE_FILE,
  RENAME,
  RUN_COMMAND,
  READ,
  WRITE,
  EDIT,
  GLOB_TOOL,
  GREP,
  BASH,
];
