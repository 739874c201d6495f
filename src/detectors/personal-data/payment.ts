/** How people pay: numbers of cards and bank accounts. */
import type { Pattern } from "../pattern.ts";

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

/** Payment cards: a number of a known issuer and its length, in one piece or in its groups, with its check digit. */
export const paymentCard: Pattern = {
  kind: "personal-data/payment-card",
  candidates: NUMBER,
  check: (candidate) => {
    const digits = candidate.replaceAll(/\D/g, "");
    const isIssued = ISSUERS.some(({ begins, length }) => digits.length === length && begins.test(digits));
    return isIssued && isLuhn(digits);
  },
};

/** With the single spaces that people write; the longest has 34 characters. */
const ACCOUNT = /(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}(?![A-Za-z0-9])/g;

/** Length by country; an `n` where accounts are all digits. */
const LENGTHS = `
  AD24 AE23n AL28 AT20n AZ28 BA20n BE16n BG22 BH22 BI27n BR29 BY28 CH21 CR22n CY28 CZ24n DE22n DJ27n DK18n
  DO28 EE20n EG29n ES24n FI18n FK18 FO18n FR27 GB22 GE22 GI23 GL18n GR27 GT28 HN28 HR21n HU28n IE22 IL23n
  IQ23 IS26n IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20n LU20 LV21 LY25n MC27 MD24 ME22n MK19 MN20n MR27n
  MT31 MU30 NI28 NL18 NO15n OM23 PK24 PL28n PS29 PT25n QA29 RO24 RS22n RU33 SA24 SC31 SD18n SE24n SI19n
  SK24n SM27 SO23n ST25n SV28 TL23n TN24n TR26 UA29 VA22n VG24 XK20n YE30`;

interface Form {
  readonly length: number;
  readonly isNumeric: boolean;
}

const FORMS: ReadonlyMap<string, Form> = new Map(
  [...LENGTHS.matchAll(/([A-Z]{2})(\d\d)(n?)/g)].map(([, country = "", length, mark]) => [
    country,
    { length: Number(length), isNumeric: mark === "n" },
  ]),
);

/** Bank accounts: an IBAN of a country that has them, of that country's length, whose checksum holds (ISO 13616). */
export const iban: Pattern = {
  kind: "personal-data/iban",
  candidates: ACCOUNT,
  check: (candidate) => {
    const whole = candidate.replaceAll(" ", "");
    const form = FORMS.get(whole.slice(0, 2));
    if (form === undefined || whole.length < form.length) return false;
    const account = whole.slice(0, form.length);
    // A word in capitals that follows is taken along by the pattern; anything else that follows makes it another thing.
    if (account.length < whole.length && !endsAtSpace(candidate, account.length)) return false;
    return (!form.isNumeric || /^\d+$/.test(account.slice(2))) && remainder(account) === 1;
  },
};

/** Whether a space follows after so many characters that are none. */
function endsAtSpace(candidate: string, characters: number): boolean {
  let seen = 0;
  for (const character of candidate) {
    if (seen === characters) return character === " ";
    if (character !== " ") seen += 1;
  }
  return true;
}

/** ISO 7064, MOD 97-10: the first four characters go to the end, letters count from ten. */
function remainder(account: string): number {
  let left = 0;
  for (const character of account.slice(4) + account.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    left = (left * (value > 9 ? 100 : 10) + value) % 97;
  }
  return left;
}

/** Whether the last digit is the check digit of the others (ISO/IEC 7812-1, annex B). */
export function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = index % 2 === 0 ? digit : digit * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
