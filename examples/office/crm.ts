/**
 * The customer database as an MCP server over stdio: makes it if need be, then
 * becomes `@bytebase/dbhub` on it. In this same process, so that signals, the
 * end of stdin and the exit code are dbhub's own and nothing is left behind.
 */
import { fileURLToPath } from "node:url";
import { fenceDatabases } from "./fence-databases.ts";
import { makeDatabase } from "./make-database.ts";

const path = makeDatabase().replaceAll("\\", "/");
fenceDatabases();

// dbhub takes what follows `sqlite://` as the path, as it stands; it begins with a slash, a Windows path too.
const address = `sqlite://${path.startsWith("/") ? "" : "/"}${path}`;
const dbhub = import.meta.resolve("@bytebase/dbhub");
process.argv = [process.execPath, fileURLToPath(dbhub), "--transport", "stdio", "--dsn", address];
await import(dbhub);
