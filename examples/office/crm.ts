/** The customer database as an MCP server over stdio. Makes the database first if it isn't there. */
import { DatabaseSync } from "node:sqlite";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createCrmServer } from "./crm-tools.ts";
import { fenceDatabase } from "./fence-database.ts";
import { makeDatabase } from "./make-database.ts";

const database = new DatabaseSync(makeDatabase(), { timeout: 5000 });
fenceDatabase(database);
serveStdio(() => createCrmServer(database));
