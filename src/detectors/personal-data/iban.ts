/** Bank accounts: an IBAN of a country that has them, of that country's length, whose checksum holds (ISO 13616). */
import type { Pattern } from "../pattern.ts";

/** With the single spaces that people write; the longest has 34 characters. */
const ACCOUNT = /(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}(?![A-Za-z0-9])/g;

/** Length by country; a country whose accounts are all digits has a minus. */
const LENGTHS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    AD: 24,
    AE: -23,
    AL: 28,
    AT: -20,
    AZ: 28,
    BA: -20,
    BE: -16,
    BG: 22,
    BH: 22,
    BI: -27,
    BR: 29,
    BY: 28,
    CH: 21,
    CR: -22,
    CY: 28,
    CZ: -24,
    DE: -22,
    DJ: -27,
    DK: -18,
    DO: 28,
    EE: -20,
    EG: -29,
    ES: -24,
    FI: -18,
    FK: 18,
    FO: -18,
    FR: 27,
    GB: 22,
    GE: 22,
    GI: 23,
    GL: -18,
    GR: 27,
    GT: 28,
    HN: 28,
    HR: -21,
    HU: -28,
    IE: 22,
    IL: -23,
    IQ: 23,
    IS: -26,
    IT: 27,
    JO: 30,
    KW: 30,
    KZ: 20,
    LB: 28,
    LC: 32,
    LI: 21,
    LT: -20,
    LU: 20,
    LV: 21,
    LY: -25,
    MC: 27,
    MD: 24,
    ME: -22,
    MK: 19,
    MN: -20,
    MR: -27,
    MT: 31,
    MU: 30,
    NI: 28,
    NL: 18,
    NO: -15,
    OM: 23,
    PK: 24,
    PL: -28,
    PS: 29,
    PT: -25,
    QA: 29,
    RO: 24,
    RS: -22,
    RU: 33,
    SA: 24,
    SC: 31,
    SD: -18,
    SE: -24,
    SI: -19,
    SK: -24,
    SM: 27,
    SO: -23,
    ST: -25,
    SV: 28,
    TL: -23,
    TN: -24,
    TR: 26,
    UA: 29,
    VA: -22,
    VG: 24,
    XK: -20,
    YE: 30,
  }),
);

export const iban: Pattern = {
  kind: "personal-data/iban",
  candidates: ACCOUNT,
  check: (candidate) => {
    const whole = candidate.replaceAll(" ", "");
    const length = LENGTHS.get(whole.slice(0, 2)) ?? 0;
    const account = whole.slice(0, Math.abs(length));
    // A word in capitals that follows is taken along by the pattern; anything else that follows makes it another thing.
    const isCut = account.length < whole.length && !endsAtSpace(candidate, account.length);
    if (length === 0 || account.length < Math.abs(length) || isCut) return false;
    return (length > 0 || /^\d+$/.test(account.slice(2))) && remainder(account) === 1;
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
