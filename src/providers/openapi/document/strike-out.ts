/**
 * Removes the operator's credentials from an answer, because an API may return what it was sent. THREAT: the API
 * controls the answer. Forms of its own (a hash, another encoding) can't be recognised.
 */
import { isJsonObject } from "../json-value.ts";

export interface StrikeOut {
  text(text: string): string;
  /** The same for each text of a JSON value, and for its names. */
  value(value: unknown): unknown;
}

const REDACTED = "[redacted]";
// Shorter values are settings, not secrets; otherwise every "json" in an answer would be removed.
const MIN_SECRET_LENGTH = 8;
/** Names of headers and parameters whose values aren't secret. */
const OPEN_NAME = /^(?:accept(?:-.*)?|user-agent|.*version|.*format|.*lang(?:uage)?|.*locale)$/i;

/** Removes the values under these names. */
export function createStrikeOut(...given: readonly Readonly<Record<string, string>>[]): StrikeOut {
  const secrets = given.flatMap(Object.entries<string>).filter(([name]) => !OPEN_NAME.test(name));
  const forms = [...new Set(secrets.flatMap(([, secret]) => formsOf(secret)))].sort(
    (left, right) => right.length - left.length,
  );
  const text = (given: string): string => {
    let struck = given;
    for (const form of forms) struck = struck.replaceAll(form, REDACTED);
    return struck;
  };
  const value = (given: unknown): unknown => {
    if (typeof given === "string") return text(given);
    if (typeof given === "number") return text(String(given)) === String(given) ? given : REDACTED;
    if (Array.isArray(given)) return given.map(value);
    if (!isJsonObject(given)) return given;
    return Object.fromEntries(Object.entries(given).map(([name, child]) => [text(name), value(child)]));
  };
  return { text, value: forms.length === 0 ? (given) => given : value };
}

/**
 * A value as it is, without its scheme (`Bearer …`), as in JSON and in URLs; the content of `Basic …`, and each value
 * of `session=…; theme=…`.
 */
function formsOf(secret: string): string[] {
  const [scheme = "", credentials = ""] = secret.trim().split(/\s+(.*)/s);
  const pair = /^basic$/i.test(scheme) ? Buffer.from(credentials, "base64").toString("utf8") : "";
  const password = pair.includes(":") ? pair.slice(pair.indexOf(":") + 1) : "";
  const named = [...secret.matchAll(/(?:^|[;,\s])[\w.-]+="?([^;,\s"]+)/g)].map(([, value = ""]) => value);
  const plain = [secret.trim(), credentials, pair, password, ...named].filter(
    (part) => part.length >= MIN_SECRET_LENGTH,
  );
  return plain.flatMap((part) => {
    const json = JSON.stringify(part).slice(1, -1);
    const inUrls = part.isWellFormed()
      ? [encodeURIComponent(part), new URLSearchParams([["", part]]).toString().slice(1)]
      : [];
    const base64 = Buffer.from(part).toString("base64");
    return [
      ...[part, json, json.replaceAll("/", "\\/")],
      ...inUrls.flatMap((form) => [form, form.replace(/%[0-9A-F]{2}/g, (mark) => mark.toLowerCase())]),
      // Without padding it is also a prefix of the padded form.
      ...[base64.replace(/=+$/, ""), Buffer.from(part).toString("base64url")],
    ];
  });
}
