/**
 * SQLite that can't leave its file. SQL alone opens and writes any other file by `ATTACH` and `VACUUM INTO`: whoever
 * may send SQL to one database could read and change the gateway's own store. Node's permission model doesn't stop
 * that; SQLite's authorizer does.
 */
import { constants, type DatabaseSync } from "node:sqlite";

/** Makes it refuse `ATTACH`, and with it `VACUUM`, which attaches its target. */
export function fenceDatabase(database: DatabaseSync): void {
  // THREAT: the model writes the SQL, and a stranger's mail may have told it what to write.
  database.setAuthorizer((action) =>
    action === constants.SQLITE_ATTACH ? constants.SQLITE_DENY : constants.SQLITE_OK,
  );
}
