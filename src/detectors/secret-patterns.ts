/**
 * Secrets that have a form: tokens by the prefix that their maker gives them, private keys by their header, passwords in
 * addresses and connection strings. They add to the rules that secretlint recommends, and stand in place of some.
 *
 * INVARIANT: each pattern is linear in the text: every repetition is bounded, or can't be entered twice at one place.
 */
import type { Pattern } from "./pattern.ts";

/** A token of a maker: `prefix`, then a body of chance. Both are sources of regular expressions. */
function token(kind: string, prefix: string, body: string): Pattern {
  return {
    kind: `secret/${kind}`,
    candidates: new RegExp(`(?<![A-Za-z0-9])(?:${prefix})(${body})(?![A-Za-z0-9])`, "g"),
    check: (_, { 1: made = "" }) => !isPlaceholderToken(made),
  };
}

const TOKENS: readonly Pattern[] = [
  token("anthropic", "sk-ant-[a-z]{2,10}\\d{2}-", "[\\w-]{32,200}"),
  token("aws", "A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA", "[A-Z0-9]{16}"),
  token(
    "aws",
    `(?:[Aa][Ww][Ss]_?)?[Ss](?:ecret|ECRET)_?(?:[Aa](?:ccess|CCESS)_?)?[Kk](?:ey|EY)["']?\\s{0,4}(?::|=>|=)\\s{0,4}["']?`,
    "[A-Za-z0-9/+=]{40}(?![/+=])",
  ),
  token("gitlab", "gl(?:pat|dt|rt|ptt|cbt|ft|imt|agent|wt|soat|oas|ffct)-", "[\\w.-]{20,300}"),
  token("google-cloud", "AIza", "[\\w-]{35}"),
  token("google-cloud", "GOCSPX-", "[\\w-]{28}"),
  token("google-cloud", "ya29\\.", "[\\w-]{30,300}"),
  token("openai", "sk-(?:proj|svcacct|admin|None)-", "[\\w-]{40,200}"),
  token("github", "gh[pousr]_", "[A-Za-z0-9]{36,255}"),
  token("slack", "xox[abceoprs]-|xoxe\\.xox[bp]-|xoxd-|xapp-", "[\\w%-]{20,300}"),
  token("slack", "https://hooks\\.slack\\.com/(?:services|workflows|triggers)/", "[\\w/]{24,120}"),
  token("sendgrid", "SG\\.", "[\\w-]{16,32}\\.[\\w-]{27,64}"),
  token("stripe", "whsec_", "[A-Za-z0-9+/=]{24,64}"),
  token("hugging-face", "hf_", "[A-Za-z0-9]{34,40}"),
  token("notion", "secret_", "[A-Za-z0-9]{43}"),
  token("hashicorp-vault", "hv[sbr]\\.", "[\\w-]{24,300}"),
];

/** The longest private key that is looked through for its body. */
const MAX_KEY = 4096;
const KEY_LINE = /[A-Za-z0-9+/]{40}/;

/** The header of a key, where a line of a body follows it within the next lines, whatever they say. */
const privateKey: Pattern = {
  kind: "secret/private-key",
  candidates: /-{4,5} ?BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g,
  check: (header, { index = 0, input = "" }) => {
    const [body = ""] = input.slice(index + header.length, index + MAX_KEY).split("----", 1);
    // Within JSON, or in a variable, a line's end is two characters.
    const lines = body.replaceAll(/\\+[rn]/g, "\n");
    const [line = ""] = KEY_LINE.exec(lines) ?? [];
    return line !== "" && new Set(line).size >= 12;
  },
};

const otherKeys: readonly Pattern[] = [
  {
    kind: "secret/private-key",
    candidates: /\bPuTTY-User-Key-File-\d: /g,
    check: (_, { index = 0, input = "" }) => /Private-Lines: \d/.test(input.slice(index, index + MAX_KEY)),
  },
  token("private-key", "AGE-SECRET-KEY-1", "[0-9A-Z]{58}"),
];

const isHttp = /^(?:https?|ftps?|wss?):/i;

/** `scheme://user:password@host`, or without a user. */
const ADDRESS =
  /(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,30}:\/\/([^\s:/@"'`<>|]{0,100}):([^\s/@"'`<>|]{1,200})@[^\s/?#"'`<>@]/g;

const address = (kind: string, isOurs: (scheme: string) => boolean): Pattern => ({
  kind,
  candidates: ADDRESS,
  check: (found, { 1: user = "", 2: password = "" }) =>
    isOurs(found) &&
    !isPlaceholderPassword(password, user) &&
    // Programs don't take a password from an SSH address, and `git` is everybody's user.
    !(user === "git" && /^(?:git\+)?ssh:/i.test(found)) &&
    !/^(?:npm|node|file|urn|data):/.test(found),
});

/** `jdbc:…;password=…`, and `jdbc:oracle:thin:user/password@…`. */
const jdbc: readonly Pattern[] = [
  {
    kind: "secret/database-connection",
    candidates: /\bjdbc:[a-z0-9]{2,30}:[^\s"'`<>]{0,200}?[?&;:](?:password|pwd)=([^\s&;"'`<>]{1,200})/gi,
    check: (_, { 1: password = "" }) => !isPlaceholderPassword(password),
  },
  {
    kind: "secret/database-connection",
    candidates: /\bjdbc:oracle:[a-z0-9]{2,10}:([^\s/@:"']{1,60})\/([^\s/@"']{1,100})@/gi,
    check: (_, { 1: user = "", 2: password = "" }) => !isPlaceholderPassword(password, user),
  },
];

/** How far around a password the rest of its connection string is looked for. */
const AROUND = 400;
const OTHER_PARTS =
  /\b(?:server|data source|host(?:name|addr)?|address|addr|network address|database|dbname|initial catalog|user id|uid|user(?:name)?|driver|dsn|provider|endpoint)\s{0,3}=\s{0,3}[^\s;]/i;

/** `creds.pw`, `pw` and what follows the first name. */
const NAMES = /^([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(.?)/;
const SECRET_WORD = /pass|pw|secret|token|key|cred/i;
/** Letters on both sides of digits, as in what is made by chance. */
const MIXED = /^(?=.*[A-Z])(?=.*[a-z])\w*[A-Za-z]\d+[A-Za-z]/;

/** What stands before a part of a connection string and not of a program: `Server=db;`, `host=db `. */
const IN_STRING = /;$|=[^\s,;()]+ $/;

/** Whether a bare value is what a program calls a password, and so no password: a member, a call, a variable. */
function isExpression(bare: string, before: string, after: string): boolean {
  const [, names = "", next = ""] = NAMES.exec(bare) ?? [];
  if (names === "" || IN_STRING.test(before)) return false;
  if (next === "(" || (names.includes(".") && SECRET_WORD.test(names))) return true;
  if (/\b(?:const|let|var|val|final|auto|string)\s+$/i.test(before)) return true;
  if (!/[,(]\s*$/.test(before) || !isInCall(before)) return false;
  if (next === "") return /^\s+(?:or|if|and|else)\b/.test(after) || names === "await";
  return /[,)]/.test(next) && !(MIXED.test(names) && !/pass|secret|token|cred/i.test(names));
}

/** Whether a parenthesis is open at the end of a text. */
function isInCall(text: string): boolean {
  let open = 0;
  for (const [one] of text.matchAll(/[()]/g)) open = one === "(" ? open + 1 : Math.max(0, open - 1);
  return open > 0;
}

/** `Server=…;User Id=…;Password=…` and `host=… user=… password=…`. */
const keyValue: Pattern = {
  kind: "secret/database-connection",
  candidates:
    /(?<![\w$.-])(?:password|pwd)\s{0,3}=\s{0,3}(?:'([^'\n]{1,200})'|"([^"\n]{1,200})"|([^;"'\s&<>]{1,200}))/gi,
  check: (found, { 1: single, 2: double, 3: bare, index = 0, input = "" }) => {
    if (isPlaceholderPassword(single ?? double ?? (bare ?? "").replace(/[,)]+$/, ""))) return false;
    const lines = input.slice(Math.max(0, index - AROUND), index);
    const before = lines.split("\n").at(-1) ?? "";
    const after = input.slice(index + found.length, index + found.length + AROUND).split("\n", 1)[0] ?? "";
    if (bare !== undefined && isExpression(bare, lines, after)) return false;
    // Two separate settings on one line are joined by `;` or a blank, and so are the parts of a string.
    return /[;\s"']$/.test(before) || before === ""
      ? OTHER_PARTS.test(before) || OTHER_PARTS.test(after)
      : false;
  },
};

/** Azure's storage and buses: `AccountKey=…`, `SharedAccessKey=…`. */
const azure = token(
  "azure",
  "(?:AccountKey|SharedAccessKey|SharedAccessSignature)=",
  "[A-Za-z0-9+/%]{40,120}={0,2}",
);

export const SECRET_PATTERNS: readonly Pattern[] = [
  ...TOKENS,
  privateKey,
  ...otherKeys,
  address("secret/basic-auth", (found) => isHttp.test(found)),
  address("secret/database-connection", (found) => !isHttp.test(found)),
  ...jdbc,
  keyValue,
  azure,
];

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
function isPlaceholderPassword(password: string, user = ""): boolean {
  if (password.length < MIN_PASSWORD || password === user) return true;
  if (PASSWORDS.test(password) || USERS.test(password) || MASKED.test(password)) return true;
  if (EXPRESSION.test(password) || new Set(password).size < 3) return true;
  const rest = password.replaceAll(STAND_INS, "-");
  return rest !== password && SEPARATORS.test(rest.replaceAll(COMPANIONS, "-"));
}
