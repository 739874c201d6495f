/** Content-Transfer-Encoding of MIME (RFC 2045): text that travelled as plain characters, back to its bytes. */

/** Takes one character per byte; an encoding that isn't known leaves the bytes as they are. */
export function decodeTransferEncoding(body: string, encoding: string): Uint8Array {
  switch (encoding.trim().toLowerCase()) {
    case "base64":
      return Buffer.from(body, "base64");
    case "quoted-printable":
      return Buffer.from(decodeQuotedPrintable(body), "latin1");
    default:
      return Buffer.from(body, "latin1");
  }
}

function decodeQuotedPrintable(body: string): string {
  return body
    .replace(/[ \t]+$/gm, "") // spaces at the end of a line were added on the way
    .replace(/=\n/g, "") // a line that was only broken to be short
    .replace(/=([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
