/**
 * SQLite that can't leave its file. SQL alone opens and writes any other file
 * by `ATTACH` and `VACUUM INTO`: whoever may send SQL to one database could
 * read and change the gateway's own store. Node's permission model doesn't
 * stop that; SQLite's authorizer does.
 */
import { constants, DatabaseSync } from "node:sqlite";

/** Fences every database of this process before it runs SQL by `prepare` or `exec`, whoever opened it. */
export function fenceDatabases(): void {
  const { prepare, exec } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function (...input) {
    fenceDatabase(this);
    return prepare.apply(this, input);
  };
  DatabaseSync.prototype.exec = function (...input) {
    fenceDatabase(this);
    exec.apply(this, input);
  };
}

/** Makes it refuse `ATTACH`, and with it `VACUUM`, which attaches its target. */
export function fenceDatabase(database: DatabaseSync): void {
  // THREAT: the model writes the SQL, and a stranger's mail may have told it what to write.
  database.setAuthorizer((action) =>
    action === constants.SQLITE_ATTACH ? constants.SQLITE_DENY : constants.SQLITE_OK,
  );
}
