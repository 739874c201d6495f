import { describe, expect, it } from "vitest";
import { findAll } from "../pattern.ts";
import { PERSONAL_DATA } from "./index.ts";

const kindsIn = (text: string): string[] => [
  ...new Set(
    PERSONAL_DATA.flatMap((pattern) => findAll(text, pattern)).map(({ kind }) =>
      kind.replace("personal-data/", ""),
    ),
  ),
];

describe("personal data", () => {
  it.each([
    ["email", "Write to Ada.Lovelace+work@mail.example.co.uk, please."],
    ["email", "<ada@example.org>"],
    ["email", '{"to":"ada_l@example.org"}'],
    ["phone", "Call +49 30 901820."],
    ["phone", "+1 (415) 555-2671"],
    ["phone", "tel:+4915123456789"],
    ["phone", "+44 (0)20 7946 0958"],
    ["phone", "+358.9.1234567"],
    ["iban", "DE89 3704 0044 0532 0130 00"],
    ["iban", "to GB82WEST12345698765432 today"],
    ["iban", "NL91 ABNA 0417 1643 00 OF THE CLUB"],
    ["iban", "BE68539007547034"],
    ["payment-card", "4111 1111 1111 1111"],
    ["payment-card", "5555-5555-5555-4444"],
    ["payment-card", "card:378282246310005,"],
    ["payment-card", "3782 822463 10005"],
    ["payment-card", "2223003122003222"],
    ["payment-card", "6011111111111117"],
    ["payment-card", "3530111333300000"],
    ["payment-card", "30569309025904"],
    ["us-social-security", "SSN 536-22-1234"],
    ["us-social-security", '"ssn": "536221234"'],
    ["gb-national-insurance", "NI no. AB 12 34 56 C"],
    ["it-codice-fiscale", "RSSMRA85T10A562S"],
    ["fr-nir", "1 84 12 76 451 089 46"],
    ["br-cpf", "CPF 529.982.247-25"],
    ["se-personnummer", "811218-9876"],
    ["fi-hetu", "131052-308T"],
    ["ch-ahv", "756.9217.0769.85"],
    ["cn-resident-identity", "11010519491231002X"],
  ])("are found: %s in %s (C1-detectors)", (kind, text) => {
    expect(kindsIn(text)).toEqual([kind]);
  });

  it.each([
    ["an order number", "Order 4711-0815-2026, no. 100200300400"],
    ["an order number as long as a card", "4111111111111112"],
    ["a number with a card's check digit of no issuer", "9111111111111111"],
    ["digits of a card within a longer number", "94111111111111111"],
    ["a fraction", "0.4111111111111111"],
    ["a UUID", "f47ac10b-58cc-4372-a567-0e02b2c3d479"],
    ["a timestamp", "2026-11-22T10:15:30.123456+01:00"],
    ["milliseconds", "1732272000000"],
    ["microseconds", "1732272000000000"],
    ["nanoseconds", "1732272000000000000"],
    ["a version", "v1.22.333-44 and 10.0.19045.4170"],
    ["an address of a machine", "192.168.100.200:8080"],
    ["a commit", "9fceb02d0ae598e95dc970b74767f19372d61af8"],
    ["a package", "npm i @types/node@24.12.0 left-pad@1.3.0"],
    ["a repository", "git clone git@github.com:org/repository.git"],
    ["a picture for dense screens", "icon@2x.png"],
    ["a machine that answers nobody", "noreply@example.org"],
    ["a user of a machine", "ada@localhost"],
    ["the login of a service", "ssh://deploy@git.acme.io/x https://u:pw@h.acme.io"],
    ["a sum", "1+2345678901 and a+1234567890"],
    ["a changed line", "+1234567"],
    ["a phone number with no calling code", "+999 123 456 789 0123"],
    ["coordinates", "+52.5200066, +13.4049540"],
    ["an account with a wrong digit", "DE88 3704 0044 0532 0130 00"],
    ["an account that is too short", "DE89 3704 0044 0532 0130"],
    ["an account of no country", "ZZ89370400440532013000"],
    ["a number of the wrong groups", "123-456-789, 12-345-6789, 1234-56-7890"],
    ["an area that was never given", "000-12-3456 666-12-3456 900-12-3456"],
    ["a part's number", "AB123456C"],
    ["a code with a wrong check letter", "RSSMRA85T10A562T"],
    ["a CPF with a wrong digit", "529.982.247-24"],
    ["a CPF of one digit", "111.111.111-11"],
    ["a date with a number", "20261122-1234"],
    ["an EAN that isn't Switzerland's", "757.9217.0769.85"],
    ["a time in hexadecimal", "0x18f3a5c2d4e"],
    ["a hash in base64", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="],
  ])("aren't seen in %s", (_, text) => {
    expect(kindsIn(text)).toEqual([]);
  });

  it.each([
    ["letters", "a"],
    ["digits", "1"],
    ["digits with spaces", "1 "],
    ["pluses and digits", "+1"],
    ["ats", "a@"],
    ["dots", "a."],
    ["addresses without an end", "a@a."],
    ["capitals and digits", "A1"],
    ["quotes after a name", 'ssn"  : '],
  ])("are looked for in linear time among many %s", (_, unit) => {
    const timeOf = (length: number): number => {
      const text = unit.repeat(length / unit.length);
      const start = performance.now();
      for (const pattern of PERSONAL_DATA) findAll(text, pattern);
      return performance.now() - start;
    };
    timeOf(20_000);
    // Quadratic time would take a hundred times as long, seconds at least.
    expect(timeOf(400_000)).toBeLessThan(2000);
  });
});
