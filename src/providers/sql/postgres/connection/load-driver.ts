/** Loads the driver, which is only installed where a PostgreSQL database is declared. */
import { SluicegateError } from "../../../../errors/index.ts";

type Driver = Pick<typeof import("pg"), "Client" | "Pool">;

export async function loadDriver(): Promise<Driver> {
  try {
    return await import("pg");
  } catch (cause) {
    throw new SluicegateError("usage", "PostgreSQL databases need the package `pg`.", {
      why: "It speaks PostgreSQL's protocol, and it isn't installed.",
      fix: "Run `npm install pg libpg-query`.",
      cause,
    });
  }
}
