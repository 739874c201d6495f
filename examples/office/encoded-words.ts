/** Header text: `=?utf-8?Q?caf=C3=A9?=` and `=?utf-8?B?Y2Fmw6k=?=` become `café` (RFC 2047). */
import { decodeTransferEncoding } from "./transfer-encoding.ts";

/** Takes the header with one character per byte; an encoded word that isn't well-formed stays as it is. */
export function decodeHeader(source: string): string {
  return decodeCharacters(Buffer.from(source, "latin1"), "utf-8")
    .replace(/(\?=)\s+(?==\?[^?\s]+\?[bq]\?)/gi, "$1") // space between two encoded words is not text
    .replace(
      /=\?([^?\s]+)\?([bq])\?([^?\s]*)\?=/gi,
      (_, characterSet: string, encoding: string, text: string) =>
        decodeCharacters(decodeWord(encoding, text), characterSet),
    );
}

/** Bytes to text; an unknown character set is read as UTF-8. */
export function decodeCharacters(bytes: Uint8Array, characterSet: string): string {
  try {
    return new TextDecoder(characterSet).decode(bytes);
  } catch {
    return new TextDecoder("utf-8").decode(bytes);
  }
}

function decodeWord(encoding: string, text: string): Uint8Array {
  if (encoding.toLowerCase() === "b") return decodeTransferEncoding(text, "base64");
  return decodeTransferEncoding(text.replaceAll("_", "=20"), "quoted-printable");
}
