/** Payment cards: a number of a known issuer and its length, written in one piece or in its groups, with its check digit. */
import type { Pattern } from "../pattern.ts";
import { isLuhn } from "./luhn.ts";

/**
 * One piece, four groups of four, or the groups of American Express and Diners Club. A comma may stand on both sides, as
 * in rows and lists.
 */
const NUMBER =
  /(?<![\w.+-])(?:\d{14,16}|\d{4}([ .\u00a0\u2009\u2013-]{1,2})\d{4}\1\d{4}\1\d{4}|\d{4}([ .\u00a0\u2009\u2013-]{1,2})\d{6}\2\d{4,5})(?![\w-]|\.\d)/g;

/** Issuers: how their numbers begin, and how long they are. */
const ISSUERS: readonly { readonly begins: RegExp; readonly length: number }[] = [
  { begins: /^4/, length: 16 },
  { begins: /^(?:5[1-5]|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)/, length: 16 },
  { begins: /^3[47]/, length: 15 },
  { begins: /^(?:6011|64[4-9]|65)/, length: 16 },
  { begins: /^(?:30[0-5]|36|3[89])/, length: 14 },
  { begins: /^35(?:2[89]|[3-8]\d)/, length: 16 },
  { begins: /^62/, length: 16 },
  { begins: /^220[0-4]/, length: 16 },
];

export const paymentCard: Pattern = {
  kind: "personal-data/payment-card",
  candidates: NUMBER,
  check: (candidate) => {
    const digits = candidate.replaceAll(/\D/g, "");
    const isIssued = ISSUERS.some(({ begins, length }) => digits.length === length && begins.test(digits));
    return isIssued && isLuhn(digits);
  },
};
