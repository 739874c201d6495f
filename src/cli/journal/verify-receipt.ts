/** `sluicegate journal verify-receipt`: needs no store, no policy and no gateway. */
import { createPublicKey, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { SluicegateError } from "../../errors/index.ts";
import { type ReceiptStatement, verifyReceipt } from "../../runtime/journal/receipt.ts";
import { exitWithFailure, printJson, printLine, shorten, styled } from "../terminal/terminal.ts";

export interface VerifyReceiptOptions {
  readonly key: string;
  readonly json?: true;
}

/** Verifies a receipt offline. */
export function verifyFile(file: string, { key, json }: VerifyReceiptOptions): void {
  const report = verifyReceipt(readText(file), readPublicKey(key));
  if (!report.ok) exitWithFailure();
  if (json) printJson({ problem: null, ...report });
  else if (report.ok) printValid(report.statement);
  else printLine(styled("red", "not valid"), `: ${report.problem}`);
}

function printValid({ subject, head, entries, issued_at: at }: ReceiptStatement): void {
  const about = subject.call === undefined ? "" : `, call ${shorten(subject.call)}`;
  printLine(styled("green", "valid"), `: session ${shorten(subject.session)}${about}.`);
  printLine(`  ${entries.length} of the ${head.entries} entries that its chain had at ${shorten(at)}.`);
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new SluicegateError("not-found", `The file ${file} can't be read.`, {
      why: cause instanceof Error ? cause.message : String(cause),
      fix: "Name a file that is there.",
      cause,
    });
  }
}

function readPublicKey(file: string): KeyObject {
  const text = readText(file);
  try {
    const key = createPublicKey(text);
    // THREAT: whoever passes on a private key by mistake should hear of it.
    if (key.asymmetricKeyType === "ed25519" && !text.includes("PRIVATE")) return key;
  } catch {
    // What is no key is told below.
  }
  throw new SluicegateError("usage", `The file ${file} is no public key for receipts.`, {
    why: "It must be an Ed25519 public key in PEM.",
    fix: "Ask whoever issued the receipt for the output of `sluicegate journal receipt --public-key`.",
  });
}
