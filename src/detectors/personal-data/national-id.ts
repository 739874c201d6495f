/**
 * Numbers that states give to people, where they can be distinguished from other numbers: by a checksum together with a form of
 * their own. Those that are plain digits (Germany, the Netherlands, Poland) can't.
 */
import type { Pattern } from "../pattern.ts";
import { isLuhn } from "./payment.ts";

const digitsOf = (text: string): string => text.replaceAll(/\D/g, "");

/** The sum of digits times weights, from the first on. */
const weigh = (digits: string, weights: readonly number[]): number =>
  weights.reduce((sum, weight, index) => sum + weight * Number(digits[index]), 0);

const isDate = (month: string, day: string): boolean =>
  Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= 31;

/** United States: three, two and four digits with hyphens; areas 000, 666 and 9xx were never given. */
const unitedStates: Pattern = {
  kind: "personal-data/us-social-security",
  candidates: /(?<![\w-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])/g,
};

/** The same without hyphens, after its name. */
const unitedStatesNamed: Pattern = {
  kind: "personal-data/us-social-security",
  candidates:
    /\b(?:ssn|social[ _-]?security(?:[ _-]?(?:number|no))?)["']?[ \t]{0,8}[:=][ \t]{0,8}["']?(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}\b/gi,
};

/** Great Britain's national insurance, in the groups that it is printed in; some prefixes are never given. */
const greatBritain: Pattern = {
  kind: "personal-data/gb-national-insurance",
  candidates:
    /(?<![\w-])(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] \d{2} \d{2} \d{2} [A-D](?![\w-])/g,
};

/** Italy's codice fiscale: letters and digits of name, birth and place, and a check letter. */
const italy: Pattern = {
  kind: "personal-data/it-codice-fiscale",
  candidates: /(?<![A-Za-z0-9])[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z](?![A-Za-z0-9])/g,
  check: (code) => {
    const odd = "1 0 5 7 9 13 15 17 19 21 2 4 18 20 11 3 6 8 12 14 16 10 22 25 24 23".split(" ").map(Number);
    const values = [...code.slice(0, 15)].map((character) => Number.parseInt(character, 36));
    const orders = values.map((value) => (value > 9 ? value - 10 : value));
    const sum = orders.reduce(
      (total, order, index) => total + (index % 2 === 0 ? (odd[order] ?? 0) : order),
      0,
    );
    return code.charCodeAt(15) - 65 === sum % 26;
  },
};

/** France's NIR: sex, year, month, place, order, and a key to 97. */
const france: Pattern = {
  kind: "personal-data/fr-nir",
  candidates: /(?<![\w.-])[12] ?\d{2} ?(?:0[1-9]|1[0-2]) ?\d[\dAB] ?\d{3} ?\d{3} ?\d{2}(?![\w-]|\.\d)/g,
  check: (code) => {
    const whole = code.replaceAll(" ", "").replace("2A", "19").replace("2B", "18");
    return 97 - (Number(whole.slice(0, 13)) % 97) === Number(whole.slice(13));
  },
};

/** Brazil's CPF, with its dots: two check digits to 11. */
const brazil: Pattern = {
  kind: "personal-data/br-cpf",
  candidates: /(?<![\w.-])\d{3}\.\d{3}\.\d{3}-\d{2}(?![\w-])/g,
  check: (code) => {
    const digits = digitsOf(code);
    const checkDigit = (weights: readonly number[]): number => ((weigh(digits, weights) * 10) % 11) % 10;
    const isRepeated = /^(\d)\1+$/.test(digits);
    return (
      !isRepeated &&
      checkDigit([10, 9, 8, 7, 6, 5, 4, 3, 2]) === Number(digits[9]) &&
      checkDigit([11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) === Number(digits[10])
    );
  },
};

/** Sweden's personnummer, with its hyphen: a date, and a check digit. */
const sweden: Pattern = {
  kind: "personal-data/se-personnummer",
  candidates: /(?<![\w.-])(?:19|20)?(\d{2})(\d{2})(\d{2})[-+]\d{4}(?![\w-])/g,
  check: (code, [, , month = "", day = ""]) => isDate(month, day) && isLuhn(digitsOf(code).slice(-10)),
};

/** Finland's henkilötunnus: a date, a sign of the century, an order and a check character to 31. */
const finland: Pattern = {
  kind: "personal-data/fi-hetu",
  candidates: /(?<![\w.-])(\d{2})(\d{2})\d{2}[-+A]\d{3}[0-9A-FHJ-NPR-Y](?![\w-])/g,
  check: (code, [, day = "", month = ""]) => {
    const sum = Number(code.slice(0, 6) + code.slice(7, 10)) % 31;
    return isDate(month, day) && "0123456789ABCDEFHJKLMNPRSTUVWXY"[sum] === code[10];
  },
};

/** Switzerland's AHV number, with its dots: as an article's number (EAN-13) that begins with 756. */
const switzerland: Pattern = {
  kind: "personal-data/ch-ahv",
  candidates: /(?<![\w.-])756\.\d{4}\.\d{4}\.\d{2}(?![\w-]|\.\d)/g,
  check: (code) => weigh(digitsOf(code), [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0,
};

/** China's resident identity: a place, a date of birth, an order and a check character to 11. */
const china: Pattern = {
  kind: "personal-data/cn-resident-identity",
  candidates: /(?<![\w.-])[1-8]\d{5}(?:19|20)\d{2}(\d{2})(\d{2})\d{3}[\dX](?![\w-]|\.\d)/g,
  check: (code, [, month = "", day = ""]) => {
    const sum = weigh(code, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]) % 11;
    return isDate(month, day) && "10X98765432"[sum] === code[17];
  },
};

export const NATIONAL_IDS: readonly Pattern[] = [
  unitedStates,
  unitedStatesNamed,
  greatBritain,
  italy,
  france,
  brazil,
  sweden,
  finland,
  switzerland,
  china,
];
