/**
 * Reads a mailbox in the mbox format: mails one after another, each begun by a
 * `From ` line. What a single mail holds is `mail.ts`'s business.
 */
import { type Mail, parseMail } from "./mail.ts";

/** The mails of an mbox file, in the file's order. Bytes, since each mail says for itself how its text is encoded. */
export function parseMbox(bytes: Uint8Array): Mail[] {
  // One character per byte: nothing is lost before a mail's own character set is known.
  const lines = Buffer.from(bytes).toString("latin1").split(/\r?\n/);
  return splitMails(lines).map((mailLines) => parseMail(mailLines.map(unescapeFromLine).join("\n")));
}

function splitMails(lines: readonly string[]): string[][] {
  const mails: string[][] = [];
  lines.forEach((line, index) => {
    if (isSeparator(line, lines[index - 1])) mails.push([]);
    else mails.at(-1)?.push(line);
  });
  return mails;
}

/** A `From ` line counts only after an empty line and with a date, so that a careless writer's prose doesn't split a mail. */
function isSeparator(line: string, lineBefore: string | undefined): boolean {
  return (lineBefore ?? "") === "" && /^From \S+ .*\d{2}:\d{2}.*\d{4}/.test(line);
}

/** Writers put a `>` before body lines that look like a separator (`>From `, `>>From `); one is taken away. */
function unescapeFromLine(line: string): string {
  return line.replace(/^>(>*From )/, "$1");
}
