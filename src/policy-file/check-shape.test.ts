import { describe, expect, test } from "vitest";
import { problemsOf } from "./testing/problems-of.ts";

const CASES: readonly { title: string; text: string; lines: readonly string[] }[] = [
  {
    title: "names the key that was probably meant",
    text: `version: 1
tools:
  search: { permissions: [read], sorce: internal }
`,
    lines: ["p.yaml:3:34: Unknown key `sorce`; did you mean `source`?"],
  },
  {
    title: "lists the keys that there are where nothing is near",
    text: `version: 1
zebra: 1
tools:
  search: { permissions: [read], colour: blue }
roles:
  clerk: { prompt: hi }
policy: { grant: [] }
categories: { hr: { note: x } }
servers:
  mail: { command: node, timeout: 3 }
`,
    lines: [
      "p.yaml:2:1: Unknown key `zebra`. A policy file takes `version`, `levels`, `trust`, `categories`, `servers`, `tools`, `workspace`, `databases`, `apis`, `include`, `detectors`, `roles`, `policy`, `approvals`, `rules`, `endorsement`, `named`, `evidence`, `groups`, `recipients`, `identities`, `notify`, `retention` and `unclassified`.",
      "p.yaml:4:34: Unknown key `colour`. A tool takes `permissions`, `source`, `sink`, `tags`, `approval`, `on_violation`, `approvers`, `critical`, `payload`, `destructive`, `is_internal_source` and `is_external`.",
      "p.yaml:6:12: Unknown key `prompt`. A role takes `tools`, `permissions`, `approval`, `clearance`, `allowed_tools`, `denied_tools` and `require_tags`.",
      "p.yaml:7:11: Unknown key `grant`. `policy` takes `allowed_tools`, `denied_tools` and `require_tags`.",
      "p.yaml:8:21: Unknown key `note`. A category takes `readers`.",
      "p.yaml:10:26: Unknown key `timeout`. A server takes `command`, `args`, `env`, `cwd`, `url`, `headers`, `oauth`, `source`, `sink` and `tools`.",
    ],
  },
  {
    title: "takes a key in camelCase for the one in snake_case",
    text: `version: 1
policy: { deniedTools: [search] }
`,
    lines: ["p.yaml:2:11: Unknown key `deniedTools`; did you mean `denied_tools`?"],
  },
  {
    title: "points at the map that lacks a key",
    text: `tools: {}
`,
    lines: ["p.yaml:1:1: `version` is missing. Begin the file with `version: 1`."],
  },
  {
    title: "refuses a version that it doesn't know",
    text: `version: 2
`,
    lines: ["p.yaml:1:10: `version` takes `1`, not `2`."],
  },
  {
    title: "asks for the version as a number",
    text: `version: "1"
`,
    lines: ["p.yaml:1:10: `version` must be a number, but it is text. Write `1`, without quotes."],
  },
  {
    title: "names the permission that was probably meant, and asks for permissions where they are missing",
    text: `version: 1
tools:
  search: { source: internal }
  post: { permissions: [conect, raed] }
  copy: { permissions: read }
  ping: { is_external: false }
  none: {}
`,
    lines: [
      "p.yaml:3:11: `permissions` is missing. Say what the tool does, with any of `read`, `write` and `connect`: `permissions: [read]`.",
      "p.yaml:4:25: `permissions` takes `read`, `write` or `connect`, not `conect`; did you mean `connect`?",
      "p.yaml:4:33: `permissions` takes `read`, `write` or `connect`, not `raed`; did you mean `read`?",
      "p.yaml:5:24: `permissions` must be a list of `read`, `write` and `connect`, but it is text. Put it in brackets: `[read]`.",
      "p.yaml:6:9: `permissions` is missing. Say what the tool does, with any of `read`, `write` and `connect`: `permissions: [read]`.",
      "p.yaml:7:9: `permissions` is missing. Say what the tool does, with any of `read`, `write` and `connect`: `permissions: [read]`.",
    ],
  },
  {
    title: "refuses keys with nothing after them",
    text: `version: 1
servers:
tools:
  search:
roles: ~
policy:
`,
    lines: [
      "p.yaml:2:1: `servers` must be a map of servers by name, but there is nothing. Fill it in, or remove the key.",
      "p.yaml:4:3: `search` must be a map that says what the tool does, but there is nothing. Fill it in, or remove the key.",
      "p.yaml:5:8: `roles` must be a map of roles by name, but there is nothing. Fill it in, or remove the key.",
      "p.yaml:6:1: `policy` must be a map, but there is nothing. Fill it in, or remove the key.",
    ],
  },
  {
    title: "refuses a file that is a list",
    text: `- version: 1
`,
    lines: ["p.yaml:1:1: The file must be a map of keys such as `version` and `tools`, but it is a list."],
  },
  {
    title: "refuses a file that is a word",
    text: `hello
`,
    lines: ["p.yaml:1:1: The file must be a map of keys such as `version` and `tools`, but it is text."],
  },
  {
    title: "asks for quotes around numbers and booleans where text is due",
    text: `version: 1
servers:
  mail:
    command: node
    args: [1, true, null, [x]]
    env: { PORT: 8080, DEBUG: true, EMPTY: , HEX: 0x1F }
tools:
  7: { permissions: [read], tags: [1.0] }
`,
    lines: [
      'p.yaml:5:12: An item of `args` must be text, but `1` is a number. Put it in quotes: `"1"`.',
      'p.yaml:5:15: An item of `args` must be text, but `true` is a boolean. Put it in quotes: `"true"`.',
      'p.yaml:5:21: An item of `args` must be text, but there is nothing. Write `""` for empty text.',
      "p.yaml:5:27: An item of `args` must be text, but it is a list.",
      'p.yaml:6:18: `PORT` must be text, but `8080` is a number. Put it in quotes: `"8080"`.',
      'p.yaml:6:31: `DEBUG` must be text, but `true` is a boolean. Put it in quotes: `"true"`.',
      'p.yaml:6:37: `EMPTY` must be text, but there is nothing. Write `""` for empty text.',
      'p.yaml:6:51: `HEX` must be text, but `0x1F` is a number. Put it in quotes: `"0x1F"`.',
      'p.yaml:8:36: An item of `tags` must be text, but `1.0` is a number. Put it in quotes: `"1.0"`.',
    ],
  },
  {
    title: "says what kind of value each key takes",
    text: `version: 1
levels: public
trust: { low: 1 }
categories: [hr]
servers: [mail]
tools: [search]
roles: clerk
policy: []
unclassified: withold
`,
    lines: [
      "p.yaml:2:9: `levels` must be a list of names, but it is text. Put it in brackets: `[public]`.",
      "p.yaml:3:8: `trust` must be a list of names, but it is a map.",
      "p.yaml:4:13: `categories` must be a map of categories, but it is a list.",
      "p.yaml:5:10: `servers` must be a map of servers by name, but it is a list.",
      "p.yaml:6:8: `tools` must be a map of tools by name, but it is a list.",
      "p.yaml:7:8: `roles` must be a map of roles by name, but it is text.",
      "p.yaml:8:9: `policy` must be a map, but it is a list.",
      "p.yaml:9:15: `unclassified` takes `withhold` or `ask`, not `withold`; did you mean `withhold`?",
    ],
  },
  {
    title: "says how a source and a sink are written",
    text: `version: 1
tools:
  a: { permissions: [read], source: 5 }
  b: { permissions: [read], source: [internal] }
  c: { permissions: [connect], sink: true }
  d: { permissions: [connect], sink: [5] }
  e: { permissions: [connect], sink: [] }
  f: { permissions: [connect], sink: { trust: trusted } }
  g: { permissions: [connect], sink: "" }
  h: { permissions: [connect], sink: [{ levle: public }] }
`,
    lines: [
      "p.yaml:3:37: `source` must be a level's name or a map of `level`, `categories` and `trust`, but `5` is a number.",
      "p.yaml:4:37: `source` must be a level's name or a map of `level`, `categories` and `trust`, but it is a list.",
      "p.yaml:5:38: `sink` must be a level's name or a map of `level`, `categories` and `trust`, a list of them, or a map with `to`, but `true` is a boolean.",
      "p.yaml:6:39: An item of `sink` must be a level's name or a map of `level`, `categories` and `trust`, but `5` is a number.",
      "p.yaml:7:38: `sink` must not be empty. With no clearance at all it could never run; remove the key, or name a level.",
      "p.yaml:8:38: `level` is missing. A sink says the highest level that may be sent, such as `level: public`.",
      "p.yaml:9:38: `sink` must not be empty. With no clearance at all it could never run; remove the key, or name a level.",
      "p.yaml:10:39: `level` is missing. A sink says the highest level that may be sent, such as `level: public`.",
      "p.yaml:10:41: Unknown key `levle`; did you mean `level`?",
    ],
  },
  {
    title: "takes approval as always, never or a condition",
    text: `version: 1
tools:
  buy: { permissions: [write], approval: allways }
  sell: { permissions: [write], approval: 1 }
  give: { permissions: [write], approval: }
`,
    lines: [
      "p.yaml:3:42: `approval` takes `always`, `never` or a condition such as `args.amount > 100`, not `allways`; did you mean `always`?",
      "p.yaml:4:43: `approval` takes `always`, `never` or a condition, not `1`.",
      "p.yaml:5:33: `approval` takes `always`, `never` or a condition, not nothing.",
    ],
  },
  {
    title: "takes flags as true or false",
    text: `version: 1
tools:
  post: { is_external: yes }
`,
    lines: ["p.yaml:3:24: `is_external` must be true or false, but it is text."],
  },
  {
    title: "tells everything at once, in file order",
    text: `version: 1
tools:
  b: { permissions: [read], source: nowhere, zzz: 1 }
  a: {}
roles:
  r: { tools: [b, b*, c] }
levels: [public, public]
`,
    lines: [
      "p.yaml:3:37: Unknown level `nowhere`. The levels are `public`.",
      "p.yaml:3:46: Unknown key `zzz`. A tool takes `permissions`, `source`, `sink`, `tags`, `approval`, `on_violation`, `approvers`, `critical`, `payload`, `destructive`, `is_internal_source` and `is_external`.",
      "p.yaml:4:6: `permissions` is missing. Say what the tool does, with any of `read`, `write` and `connect`: `permissions: [read]`.",
      "p.yaml:6:23: There is no tool `c`. Declare it under `tools`, or use one of `b`, `a`, `Read`, `Write`, `Edit`, `Bash`, `Glob`, `Grep`, `NotebookEdit`, `WebFetch`, `WebSearch`, `TodoWrite` and 2 more.",
      "p.yaml:7:18: `public` stands twice in `levels`. Its place would be in doubt: keep one.",
    ],
  },
  {
    title: "writes control characters in names as escapes, and cuts long names",
    text: `version: 1
tools:
  x: { permissions: ["\\u001B[31mred", "a\\u202Eb", "tick\`tick"] }
kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk: 1
`,
    lines: [
      "p.yaml:3:22: `permissions` takes `read`, `write` or `connect`, not `\\u{1b}[31mred`.",
      "p.yaml:3:39: `permissions` takes `read`, `write` or `connect`, not `a\\u{202e}b`.",
      "p.yaml:3:51: `permissions` takes `read`, `write` or `connect`, not `tick'tick`.",
      "p.yaml:4:1: Unknown key `kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk…`. A policy file takes `version`, `levels`, `trust`, `categories`, `servers`, `tools`, `workspace`, `databases`, `apis`, `include`, `detectors`, `roles`, `policy`, `approvals`, `rules`, `endorsement`, `named`, `evidence`, `groups`, `recipients`, `identities`, `notify`, `retention` and `unclassified`.",
    ],
  },
];

describe("what departs from the shape of a policy file", () => {
  test.each(CASES)("$title", ({ text, lines }) => {
    expect(problemsOf(text)).toEqual(lines);
  });
});
