/** Reads the path of a folder or an address in parts, but only one that no program reads as another. */
import { normalize } from "./normalize.ts";

/** A slash or what becomes one, what isn't seen, and what is empty or leads out, also with spaces or parameters (`..;x`). */
const DOUBTFUL = /[/\\⁄∕∖\p{C}]|^\p{Z}*(?:\.\p{Z}*){0,2}(?:$|;)|%u[0-9a-f]{4}/iu;

/** Times that programs one after the other may decode a segment. */
const MAX_DECODINGS = 3;

/** A pattern that may expand to what leads out: `.*`, `{.,x}{.,y}`, or `{../x,y}`, whose slash divides it. */
const DOUBTFUL_PATTERN = /^\.+[*[]|^(?=.*\.)\.*\{.*\}\.*$|(?:^|[{,])\.{1,2}(?:$|[,}])/;

/** Whether some program takes a segment for another: as it is, or normalized and decoded, in any spelling. */
function isDoubtful(segment: string, decodings = 0): boolean {
  const text = normalize(segment, "NFKC");
  if (DOUBTFUL.test(text) || DOUBTFUL_PATTERN.test(text)) return true;
  const decoded = text.replaceAll(/(?:%[0-9a-f]{2})+/gi, decode);
  return decoded !== text && (decodings === MAX_DECODINGS || isDoubtful(decoded, decodings + 1));
}

/** Escapes that aren't UTF-8 stand for a slash in some programs. */
function decode(escapes: string): string {
  try {
    return decodeURIComponent(escapes);
  } catch {
    return "/";
  }
}

/** Characters of a path or an address; longer ones aren't examined. */
const MAX_LENGTH = 10_000;

/** A folder's path or an address in its parts; null for one that different programs may read differently. */
export function partsOf(
  text: string,
): { readonly root: string; readonly segments: readonly string[] } | null {
  // THREAT: what isn't seen, what another program turns into a slash, and what leads out of a folder.
  if (text.length > MAX_LENGTH) return null;
  if (/[\p{C}\p{Z}\\]/u.test(text) || /%(?:2e|2f|5c|00)/i.test(text)) return null;
  const address = /^([a-z][a-z0-9+.-]*):\/\/([^/?#@]+)(\/[^?#]*)?(?:\?[^#]*)?(?:#.*)?$/i.exec(text);
  if (address === null && /[?#:]/.test(text)) return null;
  const [, scheme = "", host = "", onHost = ""] = address ?? [];
  const path = address === null ? text : onHost;
  const isAbsolute = path.startsWith("/");
  const segments = path.slice(isAbsolute ? 1 : 0).split("/");
  // A slash at the end names the same folder.
  if (segments.at(-1) === "") segments.pop();
  if (segments.some((segment) => isDoubtful(segment))) return null;
  const root = address === null ? (isAbsolute ? "/" : "") : `${scheme}://${host}`.toLowerCase();
  return { root, segments };
}
