/**
 * Receipts: what the journal says about a session or a call, signed with Ed25519, so that somebody without the store
 * or a gateway can verify it with the public key alone.
 */
import { createPrivateKey, createPublicKey, hash, hkdfSync, type KeyObject, sign, verify } from "node:crypto";
import { SluicegateError } from "../../errors/index.ts";
import { canonicalJson } from "../../json/canonical-json.ts";
import { isJsonObject } from "../../json/json-object.ts";
import { listIn, propertyOf, textIn } from "../../json/plain-data.ts";
import { parseStrictJson } from "../../json/strict-json.ts";
import type { ChainHead, JournalEntry } from "../ports/store.ts";
import { linkProblem, ownerProblem, startOf, verifyEnd } from "./journal.ts";

/** The subject of a receipt. Without a call it is the whole session. */
export interface ReceiptSubject {
  readonly session: string;
  readonly call?: string;
}

export interface ReceiptStatement {
  readonly type: "sluicegate-receipt-1";
  /** RFC 3339. */
  readonly issued_at: string;
  readonly subject: ReceiptSubject;
  /** The head of the session's chain, which was intact when the receipt was issued. */
  readonly head: { readonly entries: number; readonly hash: string };
  /** The subject's entries, as they were sealed. */
  readonly entries: readonly JournalEntry[];
}

export interface Receipt {
  readonly statement: ReceiptStatement;
  /** The first 16 hex digits of the SHA-256 of the public key (SPKI, DER): which key to verify with. */
  readonly key_id: string;
  /** Ed25519 over the canonical JSON (RFC 8785) of `statement`, in base64. */
  readonly signature: string;
}

/** A raw Ed25519 private key in the form that Node reads: PKCS #8, DER. */
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

/** A gateway's signing key, derived from its own key, so that all gateways on a store have the same. */
export function deriveReceiptKey(gatewayKey: Uint8Array): KeyObject {
  return toReceiptKey(new Uint8Array(hkdfSync("sha256", gatewayKey, "", "sluicegate receipts 1", 32)));
}

/** The signing key from its 32 bytes. */
export function toReceiptKey(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: "der", type: "pkcs8" });
}

/** The public key, in PEM (SPKI). */
export const toPublicPem = (key: KeyObject): string =>
  createPublicKey(key).export({ format: "pem", type: "spki" }).toString();

const keyIdOf = (publicKey: KeyObject): string =>
  hash("sha256", publicKey.export({ format: "der", type: "spki" }), "hex").slice(0, 16);

interface Issued {
  readonly subject: ReceiptSubject;
  readonly head: ChainHead;
  /** The remaining entries of the session's chain, up to the head. */
  readonly chain: readonly JournalEntry[];
  readonly at: string;
}

/**
 * A receipt of what a whole chain says.
 * @throws SluicegateError `store-damaged` if the chain isn't intact; `call-not-found` if it has no such call.
 */
export function issueReceipt({ subject, head, chain, at }: Issued, key: KeyObject): Receipt {
  const problem = chainProblem(chain, head);
  if (problem !== null) throw brokenChain(subject.session, problem);
  const { call } = subject;
  const entries = call === undefined ? chain : chain.filter(({ data }) => data.call === call);
  if (entries.length === 0) throw unknownCall();
  const statement: ReceiptStatement = {
    type: "sluicegate-receipt-1",
    issued_at: at,
    subject,
    head: { entries: head.version, hash: head.hash },
    entries: entries.map(({ seq, kind, at, policy, prev, data, hash }) => ({
      seq,
      kind,
      at,
      policy,
      prev,
      data,
      hash,
    })),
  };
  const signature = sign(null, Buffer.from(canonicalJson(statement)), key).toString("base64");
  return { statement, key_id: keyIdOf(createPublicKey(key)), signature };
}

export type ReceiptReport =
  | { readonly ok: true; readonly statement: ReceiptStatement }
  | { readonly ok: false; readonly problem: string };

/**
 * Whether the owner of a key signed a receipt, and its content is consistent. THREAT: anybody may have written the
 * text.
 * @throws SluicegateError `malformed-json`
 */
export function verifyReceipt(text: string, publicKey: KeyObject): ReceiptReport {
  const given = parseStrictJson(text);
  const statement = propertyOf(given, "statement");
  const signature = textIn(given, "signature");
  if (signature === null || !isJsonObject(statement)) return { ok: false, problem: "It is no receipt." };
  const isSigned = verify(
    null,
    Buffer.from(canonicalJson(statement)),
    publicKey,
    Buffer.from(signature, "base64"),
  );
  if (!isSigned) {
    const isOther = textIn(given, "key_id") !== keyIdOf(publicKey);
    return {
      ok: false,
      problem: isOther
        ? "It was signed with another key."
        : "It was changed, or wasn't signed with this key.",
    };
  }
  return isStatement(statement)
    ? checkEntries(statement)
    : { ok: false, problem: "It is signed, but of a form that this version doesn't know." };
}

function isStatement(value: unknown): value is ReceiptStatement {
  const [subject, head] = [propertyOf(value, "subject"), propertyOf(value, "head")];
  const entries = listIn(value, "entries");
  const call = propertyOf(subject, "call");
  return (
    textIn(value, "type") === "sluicegate-receipt-1" &&
    textIn(value, "issued_at") !== null &&
    textIn(subject, "session") !== null &&
    (call === undefined || typeof call === "string") &&
    Number.isSafeInteger(propertyOf(head, "entries")) &&
    textIn(head, "hash") !== null &&
    entries.length > 0 &&
    entries.every(isEntry)
  );
}

const isEntry = (value: unknown): value is JournalEntry =>
  Number.isSafeInteger(propertyOf(value, "seq")) &&
  isJsonObject(propertyOf(value, "data")) &&
  ["kind", "at", "policy", "prev", "hash"].every((key) => textIn(value, key) !== null);

/** Also detects a damaged journal of the signer. */
function checkEntries(statement: ReceiptStatement): ReceiptReport {
  const { subject, head, entries } = statement;
  const problem =
    subject.call === undefined
      ? chainProblem(entries, { session: subject.session, version: head.entries, hash: head.hash })
      : callProblem(entries, subject.call, head.entries);
  return problem === null ? { ok: true, statement } : { ok: false, problem };
}

function chainProblem(
  entries: readonly JournalEntry[],
  { session, version, hash }: ChainHead,
): string | null {
  let point = startOf(entries[0]);
  for (const entry of entries) {
    const problem = linkProblem(point, entry) ?? ownerProblem(session, entry);
    if (problem !== null) return problem;
    point = { version: entry.seq, hash: entry.hash };
  }
  const end = verifyEnd(point, { version, hash });
  return end.ok ? null : end.problem;
}

function callProblem(entries: readonly JournalEntry[], call: string, most: number): string | null {
  let last = 0;
  for (const entry of entries) {
    const problem = linkProblem({ version: entry.seq - 1, hash: entry.prev }, entry);
    if (problem !== null) return problem;
    if (entry.seq <= last || entry.seq > most) return `Entry ${entry.seq} has no place in the chain.`;
    if (entry.data.call !== call) return `Entry ${entry.seq} is about another call.`;
    last = entry.seq;
  }
  return null;
}

const brokenChain = (session: string, problem: string): SluicegateError =>
  new SluicegateError("store-damaged", "There is no receipt for a broken chain.", {
    why: problem,
    fix: "Run `sluicegate journal verify`, and restore the store from a backup.",
    details: { session },
  });

const unknownCall = (): SluicegateError =>
  new SluicegateError("call-not-found", "The journal has no such call.", {
    why: "The id is mistyped, or the call was in an archived session whose entries were removed.",
    fix: "`sluicegate journal show SESSION --json` lists a session's calls.",
  });
