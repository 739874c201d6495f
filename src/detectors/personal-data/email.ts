/** E-mail addresses, as people write them. Names of version control and of machines are none. */
import type { Pattern } from "../pattern.ts";

/** The local part starts where no word runs, so each run of letters is tried once. */
const ADDRESS =
  /(?<![\w.%+-])([A-Za-z0-9][\w.%+-]{0,63})@(?!\dx\.)(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}[A-Za-z]{2,24}(?![\w-])/g;

/** Local parts that no person has. */
const NOBODY: ReadonlySet<string> = new Set(["git", "noreply", "no-reply", "donotreply", "do-not-reply"]);

/** What stands before the host in the address of a service: a user's name, or a password. */
const LOGIN = /:\/\/[^\s/@]{0,256}$/;

export const email: Pattern = {
  kind: "personal-data/email",
  candidates: ADDRESS,
  check: (_, { 1: local = "", index = 0, input = "" }) =>
    !NOBODY.has(local.toLowerCase()) && !LOGIN.test(input.slice(Math.max(0, index - 256), index)),
};
