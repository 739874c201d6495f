/** What stands in documents where a secret would stand: words, dots, one character many times. */

const WORDS =
  /your|example|placeholder|change[-_]?(?:me|it)|redacted|dummy|sample|insert|replace|here$|xxxx|\*\*|\.\.\.|…|0{8}|12345678|abcdefg|[<>{}[\]]|^[$%]/i;
/** What a token of chance has more of, however short it is. */
const MIN_DISTINCT = 8;

/** Whether a text of a token's form was not made by chance. `body` is what follows the prefix that all such tokens have. */
export const isPlaceholderToken = (body: string): boolean =>
  WORDS.test(body) || /^[a-z_.-]*$/.test(body) || new Set(body).size < MIN_DISTINCT;

/** What documents write as a password, and what nobody keeps secret. */
const PASSWORDS =
  /^(?:my|the|some|db|user|admin|root|test|default|secret|super)?[-_]?(?:pass(?:word|wd|phrase)?|pwd|pw|secret|token|key)(?:[-_]?\d{0,3}|[-_]here)$/i;
const USERS =
  /^(?:user(?:name)?|root|admin|guest|test|foo|bar|none|null|undefined|true|false|string|value|x-oauth-basic)$/i;
const MIN_PASSWORD = 4;

/** What stands for a password: a variable, perhaps cut off by a blank; a word in brackets; a mask; a word of documents. */
const STAND_INS =
  /\$\{[^{}]*(?:\}+|$)|\$\([^()]*(?:\)|$)|^\$[a-z_]*(?:(?:->|[.:[]).*)?$|\$[a-z_]+(?:\d{1,2}_[a-z_]+)*\d{0,2}(?![a-z0-9])|%[A-Z_]+%|#?\{+[^{}\d]*\d{0,2}(?:\}+|$)|<[^<>]*>|\[[^[\]\d]*\d{0,2}(?:\]|$)|^[#@:&?]{1,2}[a-z_]*\d?$|\*{2,}|\.{3,}|…|x{4,}|0{8,}|12345678\d{0,2}|abcdefg[a-z]*|your|example|placeholder|change[-_]?(?:me|it|this)|redacted|dummy|sample|insert|replace|here$/gi;
/** What stands beside these. */
const COMPANIONS =
  /my|the|some|new|real|very|super|strong|secure|secret|enter|put|with|me|this|it|goes|please|database|db|postgres|mysql|redis|mongo|user(?:name)?|admin|root|test|default|app|api|access|pass(?:w[o0]rd|wd|phrase)?|pwd|pw|token|key/gi;
const SEPARATORS = /^[-_.!()]*\d{0,3}[-_.!()]*$/;
/** A mask, with the little that it may show. */
const MASKED = /^.{0,4}(?:\*{3,}|\.{3,}|…|x{4,}).{0,4}$/i;

/** A part of a regular expression for addresses, between its colons. */
const EXPRESSION = /\(\[\^|\][+*]\)/;

/** Whether a password is one of a document, or a variable that stands for one: the whole of it, not a part. */
export function isPlaceholderPassword(password: string, user = ""): boolean {
  if (password.length < MIN_PASSWORD || password === user) return true;
  if (PASSWORDS.test(password) || USERS.test(password) || MASKED.test(password)) return true;
  if (EXPRESSION.test(password) || new Set(password).size < 3) return true;
  const rest = password.replaceAll(STAND_INS, "-");
  return rest !== password && SEPARATORS.test(rest.replaceAll(COMPANIONS, "-"));
}
