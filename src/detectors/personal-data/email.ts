/** E-mail addresses, as people write them. Names of version control and of machines are none. */
import type { Pattern } from "../pattern.ts";

/** The local part starts where no word runs, so each run of letters is tried once. */
const ADDRESS =
  /(?<![\p{L}\w.%+-])([\p{L}\d_][\p{L}\w.%+&-]{0,63})@(?!\dx\.)(?:[\p{L}\d](?:[\p{L}\d-]{0,61}[\p{L}\d])?\.){1,8}(?:xn--[a-z0-9-]{2,59}|\p{L}{2,24})(?![\w-])/gu;

/** Local parts that documents write where somebody's own would stand. */
const PLACEHOLDERS: ReadonlySet<string> = new Set(
  "user username you your.name yourname your.email youremail your-email name email someone somebody me example test foo bar".split(
    " ",
  ),
);
/** Hosts that are nobody's (RFC 2606), and others that documents use as if they were. */
const NOBODYS_HOST =
  /@(?:[\w-]+\.)*(?:example|test|invalid|localhost|domain|yourdomain|your-domain|company|yourcompany|email|mail)\.?(?:com|net|org|tld)?$/i;

/** Local parts that no person has. */
const NOBODY: ReadonlySet<string> = new Set(["git", "noreply", "no-reply", "donotreply", "do-not-reply"]);

/** What stands before the host in the address of a service: a user's name, or a password. JSON may escape the slashes. */
const LOGIN = /:(?:\\{0,8}\/){2}[^\s/@]{0,256}$/;

export const email: Pattern = {
  kind: "personal-data/email",
  candidates: ADDRESS,
  check: (address, { 1: local = "", index = 0, input = "" }) =>
    !NOBODY.has(local.toLowerCase()) &&
    !(PLACEHOLDERS.has(local.toLowerCase()) && NOBODYS_HOST.test(address)) &&
    !LOGIN.test(input.slice(Math.max(0, index - 256), index)),
};
