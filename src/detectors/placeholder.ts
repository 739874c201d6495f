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

/** Whether a password is one of a document, or a variable that stands for one. */
export function isPlaceholderPassword(password: string, user = ""): boolean {
  if (password.length < MIN_PASSWORD || password === user) return true;
  if (WORDS.test(password) || PASSWORDS.test(password) || USERS.test(password)) return true;
  return /^[#@:&?]|^%[A-Z_]+%$|\$[({A-Z]/.test(password) || new Set(password).size < 3;
}
