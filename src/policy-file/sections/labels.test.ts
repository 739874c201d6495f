import { describe, expect, test } from "vitest";
import { problemsOf } from "../testing/problems-of.ts";

const CASES: readonly { title: string; text: string; lines: readonly string[] }[] = [
  {
    title: "names the level that was probably meant, or the levels that there are",
    text: `version: 1
levels: [open, closed]
tools:
  search: { permissions: [read], source: opne }
  post: { permissions: [connect], sink: { level: internal } }
`,
    lines: [
      "p.yaml:4:42: Unknown level `opne`; did you mean `open`?",
      "p.yaml:5:50: Unknown level `internal`. The levels are `open` and `closed`.",
    ],
  },
  {
    title: "looks into every clearance of a list",
    text: `version: 1
tools:
  post:
    permissions: [connect]
    sink:
      - public
      - { level: intrenal, trust: trusted }
      - { level: secret, trust: believed }
`,
    lines: [
      "p.yaml:7:18: Unknown level `intrenal`; did you mean `internal`?",
      "p.yaml:8:33: Unknown trust level `believed`. The trust levels are `untrusted` and `trusted`.",
    ],
  },
  {
    title: "looks at a server's own source and sink",
    text: `version: 1
servers:
  mail: { command: node, tools: {}, source: { trust: trused }, sink: [pubic] }
`,
    lines: [
      "p.yaml:3:54: Unknown trust level `trused`; did you mean `trusted`?",
      "p.yaml:3:71: Unknown level `pubic`; did you mean `public`?",
    ],
  },
  {
    title: "refuses categories that nobody declared",
    text: `version: 1
categories: { hr: , legal: {} }
tools:
  payroll: { permissions: [read], source: { level: secret, categories: [hr, leagl, finance] } }
`,
    lines: [
      "p.yaml:4:77: Unknown category `leagl`; did you mean `legal`?",
      "p.yaml:4:84: Unknown category `finance`. The categories are `hr` and `legal`.",
    ],
  },
  {
    title: "says where to declare a category where there is none",
    text: `version: 1
tools:
  payroll: { permissions: [read], source: { categories: [hr] } }
`,
    lines: ["p.yaml:3:58: Unknown category `hr`. Declare it under `categories`."],
  },
  {
    title: "refuses the star as a level: only a label that can't be read has it",
    text: `version: 1
tools:
  post: { permissions: [connect], sink: "*" }
`,
    lines: [
      "p.yaml:3:41: Unknown level `*`. The levels are `public`, `internal`, `confidential` and `secret`.",
    ],
  },
  {
    title: "refuses names that a label can't hold, repeats and empty lists",
    text: `version: 1
levels: [public, "*", internal, public, ""]
trust: []
categories: { "no way": , "-x": }
`,
    lines: [
      'p.yaml:2:18: An item of `levels` can\'t be called `*`. A name has 1 to 64 letters, digits and any of "_ . : / -", and begins with a letter or a digit.',
      "p.yaml:2:33: `public` stands twice in `levels`. Its place would be in doubt: keep one.",
      "p.yaml:2:41: An item of `levels` must not be empty.",
      "p.yaml:3:8: `trust` is an empty list. Name at least one, or remove the key for the usual ones.",
      'p.yaml:4:15: A category can\'t be called `no way`. A name has 1 to 64 letters, digits and any of "_ . : / -", and begins with a letter or a digit.',
      'p.yaml:4:27: A category can\'t be called `-x`. A name has 1 to 64 letters, digits and any of "_ . : / -", and begins with a letter or a digit.',
    ],
  },
  {
    title: "says nothing of names where their list can't be read",
    text: `version: 1
levels: public
categories: [hr]
tools:
  search: { permissions: [read], source: { level: nowhere, categories: [x] } }
`,
    lines: [
      "p.yaml:2:9: `levels` must be a list of names, but it is text. Put it in brackets: `[public]`.",
      "p.yaml:3:13: `categories` must be a map of categories, but it is a list.",
    ],
  },
];

describe("names of levels, trust and categories", () => {
  test.each(CASES)("$title", ({ text, lines }) => {
    expect(problemsOf(text)).toEqual(lines);
  });
});
