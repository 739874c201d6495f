import { describe, expect, test } from "vitest";
import { problemsOf } from "../testing/problems-of.ts";

const CASES: readonly { title: string; text: string; lines: readonly string[] }[] = [
  {
    title: "refuses repeated keys",
    text: `version: 1
version: 1
tools:
  search: { permissions: [read], permissions: [write] }
  search: { permissions: [read] }
`,
    lines: [
      "p.yaml:2:1: The key `version` is given twice; the first is on line 1. Keep one of the two.",
      "p.yaml:4:34: The key `permissions` is given twice; the first is on line 4. Keep one of the two.",
      "p.yaml:5:3: The key `search` is given twice; the first is on line 4. Keep one of the two.",
    ],
  },
  {
    title: "refuses tabs as indentation",
    text: "version: 1\ntools:\n\tsearch:\n\t\tpermissions: [read]\n",
    lines: [
      "p.yaml:3:1: The line is indented with a tab. Indent with spaces.",
      "p.yaml:4:1: The line is indented with a tab. Indent with spaces.",
    ],
  },
  {
    title: "counts columns without the byte order mark",
    text: "\uFEFFtols: {}\n",
    lines: [
      "p.yaml:1:1: `version` is missing. Begin the file with `version: 1`.",
      "p.yaml:1:1: Unknown key `tols`; did you mean `tools`?",
    ],
  },
  {
    title: "counts lines that end in CRLF",
    text: "version: 1\r\ntools:\r\n  search: { permission: [read] }\r\n",
    lines: [
      "p.yaml:3:11: `permissions` is missing. Say what the tool does, with any of `read`, `write` and `connect`: `permissions: [read]`.",
      "p.yaml:3:13: Unknown key `permission`; did you mean `permissions`?",
    ],
  },
  {
    title: "counts lines behind an open quote",
    text: `version: 1
tools:
  a: { tags: ["x }

  b: 1
roles: ]
`,
    lines: ["p.yaml:7:1: This can't be read as YAML: Missing closing \"quote."],
  },
  {
    title: "refuses merge keys",
    text: `version: 1
tools:
  a: &base { permissions: [read] }
  b: { <<: *base, tags: [x] }
`,
    lines: ["p.yaml:4:8: Merge keys (`<<`) can't be used. Write the keys out."],
  },
  {
    title: "refuses tags but those of plain values",
    text: `version: !!int 1
tools: !tools
  a: { permissions: !!set [read] }
  b: !!js/function x
`,
    lines: [
      "p.yaml:2:8: The tag `!tools` can't be used. Leave it out; a policy is plain text, lists and maps.",
      "p.yaml:3:21: The tag `!!set` can't be used. Leave it out; a policy is plain text, lists and maps.",
      "p.yaml:4:6: The tag `!!js/function` can't be used. Leave it out; a policy is plain text, lists and maps.",
      "p.yaml:4:20: `b` must be a map that says what the tool does, but it is text.",
    ],
  },
  {
    title: "refuses a second document",
    text: `version: 1
---
version: 1
`,
    lines: [
      "p.yaml:2:1: A second YAML document begins here. Keep one document in the file, and no `---` or `...` below it.",
    ],
  },
  {
    title: "refuses directives, with which another YAML begins",
    text: `%YAML 1.1
---
version: 1
unclassified: withhold
`,
    lines: ["p.yaml:1:1: YAML directives can't be used. Remove this line."],
  },
  {
    title: "refuses keys that are no text",
    text: `version: 1
? [a, b]
: c
*x : y
`,
    lines: [
      "p.yaml:2:3: A key must be plain text. Write the key as a single word or in quotes.",
      "p.yaml:4:1: A key must be plain text. Write the key as a single word or in quotes.",
    ],
  },
  {
    title: "refuses keys that are empty or hold control characters",
    text: `version: 1
tools:
  "": { permissions: [] }
  "a\\nb": { permissions: [] }
`,
    lines: [
      "p.yaml:3:3: A key is empty or holds a control character. Give it a name.",
      "p.yaml:4:3: A key is empty or holds a control character. Give it a name.",
    ],
  },
  {
    title: "refuses aliases without an anchor and inside what they refer to",
    text: `version: 1
tools:
  a: *nobody
  b: &b { permissions: [read], sink: *b }
`,
    lines: [
      "p.yaml:3:6: The alias `*nobody` has no anchor `&nobody` above it.",
      "p.yaml:4:38: The alias `*b` stands inside what it refers to. Write the value out.",
    ],
  },
  {
    title: "tells what is wrong behind an alias once",
    text: `version: 1
tools:
  a: &a { permissions: [read], sorce: x }
  b: *a
`,
    lines: ["p.yaml:3:32: Unknown key `sorce`; did you mean `source`?"],
  },
  {
    title: "asks for quotes around a variable in braces",
    text: `version: 1
servers:
  web: { url: \${WEB_URL} }
`,
    lines: [
      `p.yaml:3:16: This can't be read as YAML: Unexpected flow-map-start at node end. Put a value with \`\${…}\` in quotes.`,
    ],
  },
  {
    title: "tells one thing for each line that is no YAML",
    text: `version: 1
tools:
 - a
 b: 1
c: @x
`,
    lines: [
      "p.yaml:4:1: This can't be read as YAML: All mapping items must start at the same column.",
      "p.yaml:5:4: This can't be read as YAML: Plain value cannot start with reserved character @.",
    ],
  },
  {
    title: "refuses an empty file",
    text: "",
    lines: ["p.yaml:1:1: The file is empty. Begin with `version: 1`."],
  },
  {
    title: "refuses a file of comments",
    text: `# nothing
`,
    lines: ["p.yaml:1:1: The file is empty. Begin with `version: 1`."],
  },
  {
    title: "refuses a NUL character",
    text: `version: 1
servers:
  a: { command: "node\\0" }
`,
    lines: ["p.yaml:3:17: A value holds a NUL character. Remove it."],
  },
  {
    title: "refuses more than 32 levels",
    text: `version: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
`,
    lines: [
      "p.yaml:1:10: `version` takes `1`, not a list.",
      "p.yaml:1:42: The file is nested too deeply to be read. A policy needs fewer than ten levels.",
    ],
  },
];

describe("YAML", () => {
  test.each(CASES)("$title", ({ text, lines }) => {
    expect(problemsOf(text)).toEqual(lines);
  });
});
