/** How people are reached: e-mail addresses and telephone numbers. */
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

/** E-mail addresses, as people write them. Names of version control and of machines are none. */
export const email: Pattern = {
  kind: "personal-data/email",
  candidates: ADDRESS,
  check: (address, { 1: local = "", index = 0, input = "" }) =>
    !NOBODY.has(local.toLowerCase()) &&
    !(PLACEHOLDERS.has(local.toLowerCase()) && NOBODYS_HOST.test(address)) &&
    !LOGIN.test(input.slice(Math.max(0, index - 256), index)),
};

/** Each round takes one digit, so there is one way to read a number. */
const NUMBER = /(?<![\w+.)])\+[1-9](?:(?:[ .\u00a0\u2009\u2011\u2013-]| ?\/ ?)?\(?\d\)?){6,14}(?!\w|[.-]\d)/g;

/** Calling codes of one and two digits; all others have three (ITU-T E.164, list of assigned codes). */
const SHORT_CODES: ReadonlySet<string> = new Set(
  "1 7 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86 90 91 92 93 94 95 98".split(
    " ",
  ),
);
/** What codes of three digits begin with. */
const LONG_CODES = /^(?:2[1-69]|35|37|38|42|50|59|67|68|69|80|85|87|88|96|97)\d|^99[2-68]/;

/** Half of a place on the map. */
const DECIMAL = /^\+\d{1,3}\.\d+$/;
/** A number without any separator is one of a sum, or of a changed line, unless it is long. */
const MIN_BARE_DIGITS = 10;
const MIN_DIGITS = 8;

/** Telephone numbers in the international form of E.164: a plus, a calling code that exists, up to fifteen digits. */
export const phone: Pattern = {
  kind: "personal-data/phone",
  candidates: NUMBER,
  check: (candidate) => {
    if (DECIMAL.test(candidate)) return false;
    const digits = candidate.replaceAll(/\D/g, "");
    const isBare = candidate.length === digits.length + 1;
    if (digits.length < (isBare ? MIN_BARE_DIGITS : MIN_DIGITS)) return false;
    return (
      SHORT_CODES.has(digits.slice(0, 1)) || SHORT_CODES.has(digits.slice(0, 2)) || LONG_CODES.test(digits)
    );
  },
};
