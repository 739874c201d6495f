/** `sluicegate journal receipt`: a signed statement of what the record says of a session or a call. */
import type { KeyObject } from "node:crypto";
import { SluicegateError } from "../../errors/index.ts";
import { readKey } from "../../gateway/state/secrets.ts";
import { toTimestamp } from "../../runtime/index.ts";
import {
  deriveReceiptKey,
  issueReceipt,
  type ReceiptSubject,
  toPublicPem,
  toReceiptKey,
} from "../../runtime/journal/receipt.ts";
import type { JournalEntry, Store } from "../../runtime/ports/store.ts";
import { printJson, printLine } from "../terminal/terminal.ts";
import { storePlaceOf } from "../wiring/store-file.ts";
import type { JournalOptions } from "./journal.ts";
import { headOf, pagesOf, withStore } from "./journal-store.ts";

export interface ReceiptOptions extends JournalOptions {
  readonly publicKey?: true;
}

/** Prints a receipt, or the key that receipts are verified with. */
export async function printReceipt(id: string | undefined, options: ReceiptOptions): Promise<void> {
  if (options.publicKey === true) {
    printPublicKey(signingKeyOf(options), options);
    return;
  }
  if (id === undefined) throw noId();
  const issued = await withStore(options, async (store) => {
    const key = signingKeyOf(options);
    const subject = await findSubject(store, id);
    const head = await headOf(store, subject.session);
    const chain = await readChain(store, subject.session, head.version);
    return issueReceipt({ subject, head, chain, at: toTimestamp(new Date()) }, key);
  });
  printJson(issued);
}

function printPublicKey(key: KeyObject, { json }: ReceiptOptions): void {
  const pem = toPublicPem(key);
  if (json) printJson({ public_key: pem });
  else for (const line of pem.trim().split("\n")) printLine(line);
}

function signingKeyOf({ config, store }: ReceiptOptions): KeyObject {
  const given = process.env.SLUICEGATE_RECEIPT_KEY;
  if (given !== undefined) {
    if (/^[0-9a-f]{64}$/i.test(given)) return toReceiptKey(Buffer.from(given, "hex"));
    throw badKey();
  }
  const { file } = storePlaceOf(config ?? "", store);
  const key = readKey(file);
  if (key === null) throw noKey(file);
  return deriveReceiptKey(key);
}

const PAGE = 1000;

/** A call's session is found by its entries. */
async function findSubject(store: Store, id: string): Promise<ReceiptSubject> {
  if (!id.startsWith("call_")) return { session: id };
  for (let after = 0; ; ) {
    const page = await store.feed(after, PAGE);
    const found = page.find(({ entry }) => entry.data.call === id);
    if (found !== undefined) return { session: found.session, call: id };
    const last = page.at(-1);
    if (last === undefined) throw unknownCall(id);
    after = last.position;
  }
}

/** What came after the head was read isn't part of it. */
async function readChain(store: Store, session: string, version: number): Promise<readonly JournalEntry[]> {
  const chain: JournalEntry[] = [];
  for await (const page of pagesOf(store, session)) {
    chain.push(...page.filter(({ seq }) => seq <= version));
    if (page.some(({ seq }) => seq >= version)) break;
  }
  return chain;
}

const noId = (): SluicegateError =>
  new SluicegateError("usage", "Of what there should be a receipt isn't said.", {
    why: "`sluicegate journal receipt` needs the id of a session or of a call.",
    fix: "`sluicegate journal show` lists the sessions; `sluicegate journal show SESSION --json` has its calls.",
  });

const unknownCall = (id: string): SluicegateError =>
  new SluicegateError("call-not-found", `There is no call \`${id}\` in this store.`, {
    why: "The id is mistyped, the call is in another store, or its session was archived.",
    fix: "`sluicegate journal show SESSION --json` has a session's calls.",
  });

const noKey = (storeFile: string): SluicegateError =>
  new SluicegateError("not-found", "There is no key to sign with.", {
    why: `A gateway makes its key at its first start, and none lies beside ${storeFile}.`,
    fix: "Start the gateway once, or set `SLUICEGATE_RECEIPT_KEY` to 64 hex digits (`openssl rand -hex 32`).",
  });

const badKey = (): SluicegateError =>
  new SluicegateError("usage", "`SLUICEGATE_RECEIPT_KEY` can't be used.", {
    why: "It must be the 32 bytes of an Ed25519 private key, as 64 hex digits.",
    fix: "Set it to the output of `openssl rand -hex 32`, and keep it; or unset it.",
  });
