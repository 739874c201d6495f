/** Servers that work on this machine: files, notes, databases, repositories. */

import {
  changesHere,
  computes,
  definePack,
  each,
  type Pack,
  readsHere,
  runsSql,
  writesThere,
} from "./pack.ts";
import { GIT_ENVIRONMENT } from "./recognise.ts";

const ASKS = { approval: "always" } as const;

const filesystem = definePack(
  "filesystem",
  "files",
  ["npm:@modelcontextprotocol/server-filesystem", "program:mcp-server-filesystem", "image:mcp/filesystem"],
  each(
    `read_file read_text_file read_media_file read_multiple_files list_directory list_directory_with_sizes
     directory_tree search_files get_file_info list_allowed_directories`,
    readsHere(
      "internal",
      "It reads files of this machine; raise the level where they are more than internal.",
    ),
  ),
  each(
    "write_file edit_file move_file",
    changesHere("internal", "It changes files, and nobody can undo that.", ASKS),
  ),
  each("create_directory", changesHere("internal", "It makes folders, and changes nothing that is there.")),
);

const memory = definePack(
  "memory",
  "memory",
  ["npm:@modelcontextprotocol/server-memory", "program:mcp-server-memory", "image:mcp/memory"],
  each(
    "read_graph search_nodes open_nodes",
    readsHere("internal", "It reads what earlier sessions wrote down."),
  ),
  each(
    "create_entities create_relations add_observations",
    changesHere("internal", "Later sessions read what it writes, so it is a way out too."),
  ),
  each(
    "delete_entities delete_observations delete_relations",
    changesHere("internal", "It deletes what earlier sessions wrote down.", ASKS),
  ),
);

const SQL_READS = readsHere(
  "confidential",
  "Databases hold customers' data as a rule; lower the level where they don't.",
);
const SQL_CATALOG = readsHere(
  "confidential",
  "It shows what the database holds; lower the level where that is no secret.",
);

const postgres = definePack(
  "postgres",
  "database",
  ["npm:@modelcontextprotocol/server-postgres", "program:mcp-server-postgres", "image:mcp/postgres"],
  each(
    "query",
    runsSql(
      "confidential",
      "It says that it only reads, but `COPY` runs programs and writes files at the database, and a second statement may change anything.",
    ),
  ),
);

const sqlite = definePack(
  "sqlite",
  "database",
  [
    "npm:mcp-server-sqlite-npx",
    "program:mcp-server-sqlite-npx",
    "pypi:mcp-server-sqlite",
    "program:mcp-server-sqlite",
    "image:mcp/sqlite",
  ],
  each("read_query", SQL_READS),
  each("list_tables describe_table", SQL_CATALOG),
  each(
    "write_query create_table",
    changesHere("confidential", "It runs any statement that changes data.", ASKS),
  ),
  each("append_insight", changesHere("confidential", "It adds to a note that is kept beside the data.")),
);

const sqliteRecords = definePack(
  "sqlite-records",
  "database",
  ["npm:mcp-sqlite", "program:mcp-sqlite"],
  each("read_records", SQL_READS),
  each("db_info list_tables get_table_schema", SQL_CATALOG),
  each("create_record", changesHere("confidential", "It adds a row, which is read again later.")),
  each(
    "query update_records delete_records",
    changesHere("confidential", "It changes rows, or runs any statement.", ASKS),
  ),
);

const dbhub = definePack(
  "dbhub",
  "database",
  ["npm:@bytebase/dbhub", "program:dbhub", "image:bytebase/dbhub"],
  each(
    "execute_sql",
    runsSql(
      "confidential",
      "It runs any statement, with several in one call; some databases run programs and write files by one.",
    ),
  ),
  each("search_objects", SQL_CATALOG),
);

/** Git takes an argument that begins with `-` for an option, such as `--output=FILE`. */
const TAKES_OPTION = 'args.exists(name, args[name] != null && string(args[name]).startsWith("-"))';

const git: Pack = Object.freeze({
  environment: GIT_ENVIRONMENT,
  ...definePack(
    "git",
    "code",
    ["pypi:mcp-server-git", "program:mcp-server-git", "image:mcp/git"],
    each(
      "git_status git_diff_unstaged git_diff_staged git_diff git_log git_show git_branch",
      readsHere(
        "internal",
        "It reads a repository of this machine. An argument that git takes for an option could write a file, so a person is asked.",
        { approval: TAKES_OPTION },
      ),
    ),
    each("git_create_branch", changesHere("internal", "It changes a repository, and git can undo it.")),
    each(
      "git_add git_commit git_init",
      changesHere("internal", "It runs the repository's own hooks and filters, which are programs.", ASKS),
    ),
    each(
      "git_reset git_checkout",
      changesHere(
        "internal",
        "It may drop work that was not committed, and runs the repository's hooks.",
        ASKS,
      ),
    ),
  ),
});

const sequentialThinking = definePack(
  "sequential-thinking",
  "thinking",
  [
    "npm:@modelcontextprotocol/server-sequential-thinking",
    "program:mcp-server-sequential-thinking",
    "image:mcp/sequentialthinking",
  ],
  each(
    "sequentialthinking",
    computes("It keeps thoughts in its own memory, and gives back how many there are."),
  ),
);

const time = definePack(
  "time",
  "time",
  ["pypi:mcp-server-time", "program:mcp-server-time", "image:mcp/time"],
  each("get_current_time convert_time", computes("It knows the time, and nothing of anybody.")),
);

const everything = definePack(
  "everything",
  "demo",
  ["npm:@modelcontextprotocol/server-everything", "program:mcp-server-everything", "image:mcp/everything"],
  each(
    `echo get-annotated-message get-resource-links get-resource-reference get-structured-content get-sum
     get-tiny-image trigger-long-running-operation`,
    computes("It gives back what it is given, or an example."),
  ),
  each("get-env", readsHere("secret", "It shows the environment of its process, with the keys in it.")),
  each("get-roots-list", readsHere("internal", "It names folders of this machine.")),
  each(
    "gzip-file-as-resource",
    writesThere("internal", "It fetches the address that it is given, of your own network too.", ASKS),
  ),
  each("trigger-sampling-request", writesThere("internal", "It puts a question to the client's model.")),
  each(
    "trigger-elicitation-request simulate-research-query",
    changesHere("internal", "It may put questions to the person at the client."),
  ),
  each(
    "toggle-simulated-logging toggle-subscriber-updates",
    changesHere("internal", "It switches notices of the server on or off."),
  ),
);

export const LOCAL_PACKS: readonly Pack[] = Object.freeze([
  filesystem,
  memory,
  postgres,
  sqlite,
  sqliteRecords,
  dbhub,
  git,
  sequentialThinking,
  time,
  everything,
]);
