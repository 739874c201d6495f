import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseMbox } from "./mbox.ts";

const separator = "From ada@acme.example Thu Oct  8 09:40:02 2026";

/** A mailbox with one mail of the given lines. */
function parseOne(...lines: string[]) {
  const [mail] = parseMbox(Buffer.from([separator, ...lines, ""].join("\n")));
  if (mail === undefined) throw new Error("The mailbox has no mail.");
  return mail;
}

describe("mails in a mailbox", () => {
  it("splits at each separator line and keeps the order", () => {
    const source = `${separator}\nSubject: one\n\nfirst\n\n${separator}\nSubject: two\n\nsecond\n`;
    const mails = parseMbox(Buffer.from(source));
    expect(mails.map((mail) => [mail.subject, mail.body])).toEqual([
      ["one", "first"],
      ["two", "second"],
    ]);
  });

  it("reads lines that end in carriage return and line feed", () => {
    const source = `${separator}\r\nSubject: one\r\n\r\nfirst\r\nline\r\n`;
    expect(parseMbox(Buffer.from(source))[0]).toMatchObject({ subject: "one", body: "first\nline" });
  });

  it.each([
    [">From here on", "From here on"],
    [">>From quoted", ">From quoted"],
    ["> From a quotation", "> From a quotation"],
    [">Fromage", ">Fromage"],
  ])("reads the escaped line %j as %j", (line, expected) => {
    expect(parseOne("Subject: s", "", "text", line).body).toBe(`text\n${expected}`);
  });

  it.each([
    ["without an empty line before it", ["text", "From ada Thu Oct  8 09:40:02 2026"]],
    ["without a date", ["text", "", "From what I read, it works"]],
  ])("takes a From line %s as text", (_, lines) => {
    expect(parseOne("Subject: s", "", ...lines).body).toBe(lines.join("\n"));
  });

  it.each(["", "no mailbox at all\n"])("finds no mail in %j", (source) => {
    expect(parseMbox(Buffer.from(source))).toEqual([]);
  });
});

describe("headers", () => {
  it("joins a header that goes on in the next line", () => {
    const mail = parseOne(
      "To: a@acme.example,",
      " b@acme.example,",
      "\tc@acme.example",
      "Subject: s",
      "",
      "text",
    );
    expect(mail.to).toBe("a@acme.example, b@acme.example, c@acme.example");
  });

  it.each([
    ["=?utf-8?Q?All_hands:_caf=C3=A9?=", "All hands: café"],
    ["=?UTF-8?b?R2Vow6RsdGVy?=", "Gehälter"],
    ["Re: =?utf-8?Q?caf=C3=A9?= today", "Re: café today"],
    ["=?utf-8?Q?one_?=\n =?utf-8?Q?two?=", "one two"],
    ["=?iso-8859-1?Q?caf=E9?=", "café"],
    ["=?utf-8?X?what?=", "=?utf-8?X?what?="],
    ["=?no-such-set?Q?plain?=", "plain"],
    ["café as it stands", "café as it stands"],
  ])("decodes the subject %j", (source, expected) => {
    expect(parseOne(`Subject: ${source}`, "", "text").subject).toBe(expected);
  });

  it("reads no header from the text", () => {
    const mail = parseOne("From: Ada <ada@acme.example>", "", "Subject: not a header");
    expect(mail).toMatchObject({
      from: "Ada <ada@acme.example>",
      subject: "",
      body: "Subject: not a header",
    });
  });

  it("takes the brackets from a message's id", () => {
    expect(parseOne("Message-ID: <one@acme.example>", "", "text").id).toBe("one@acme.example");
  });
});

describe("text", () => {
  it("decodes quoted-printable with lines that were broken on the way", () => {
    const mail = parseOne(
      "Content-Transfer-Encoding: quoted-printable",
      "",
      "revenue =E2=82=AC4.8=",
      "2 million, 100 =3D 100",
    );
    expect(mail.body).toBe("revenue €4.82 million, 100 = 100");
  });

  it("decodes base64", () => {
    const encoded = Buffer.from("personal and confidential: €").toString("base64");
    expect(parseOne("Content-Transfer-Encoding: BASE64", "", encoded).body).toBe(
      "personal and confidential: €",
    );
  });

  it("reads the character set that the mail names", () => {
    const type = 'Content-Type: text/plain; charset="iso-8859-1"';
    expect(parseOne(type, "Content-Transfer-Encoding: quoted-printable", "", "=A33.85").body).toBe("£3.85");
  });

  it("takes the plain text of several parts, nested ones too, and no attachment", () => {
    const mail = parseOne(
      'Content-Type: multipart/mixed; boundary="outer"',
      "",
      "a preamble that no one shows",
      "--outer",
      "Content-Type: text/plain",
      "Content-Disposition: attachment; filename=notes.txt",
      "",
      "attached",
      "--outer",
      "Content-Type: multipart/alternative; boundary=inner",
      "",
      "--inner",
      "Content-Type: text/html",
      "",
      "<p>in HTML</p>",
      "--inner",
      "Content-Type: text/plain; charset=utf-8",
      "Content-Transfer-Encoding: quoted-printable",
      "",
      "in plain t=65xt",
      "--inner--",
      "--outer--",
      "an epilogue",
    );
    expect(mail.body).toBe("in plain text");
  });

  it("strips the tags where there is only HTML", () => {
    const html =
      "<html><head><style>p { margin: 0 }</style></head><body><h1>News</h1><p>growth of 9&nbsp;%</p></body></html>";
    expect(parseOne("Content-Type: text/html", "", html).body).toBe("News\ngrowth of 9 %");
  });

  it("gives up on parts nested without end instead of following them", () => {
    const depth = 1000;
    const open = Array.from({ length: depth }, (_, level) => [
      `Content-Type: multipart/mixed; boundary=b${level}`,
      "",
      `--b${level}`,
    ]);
    expect(parseOne(...open.flat(), "Content-Type: text/plain", "", "deep").body).toBe("");
  });
});

describe("the example's own mailbox", () => {
  const mails = parseMbox(readFileSync(join(import.meta.dirname, "data", "inbox.mbox")));

  it("has fifteen mails, each with sender, date, subject and text", () => {
    expect(mails.length).toBe(15);
    expect(mails.filter((mail) => !(mail.from && mail.date && mail.subject && mail.body))).toEqual([]);
  });

  it("reads every encoding that occurs in it", () => {
    const all = mails.map((mail) => `${mail.subject}\n${mail.body}`).join("\n");
    expect(all).toContain("Gehälter 2027"); // a header in base64
    expect(all).toContain("All hands on Thursday: Q3, the roadmap, and café");
    expect(all).toContain("Revenue: €4.82 million, up 12 % on Q2"); // quoted-printable
    expect(all).toContain("I would go to €104,000"); // base64
    expect(all).toContain("£3.85 each"); // iso-8859-1
    expect(all).toContain("\nFrom what I read"); // an escaped From line
    expect(all).not.toContain("=E2=82=AC");
  });
});
