import { describe, expect, test } from "vitest";
import { problemsOf } from "../testing/problems-of.ts";

const CASES: readonly { title: string; text: string; lines: readonly string[] }[] = [
  {
    title: "asks for exactly one way to reach a server",
    text: `version: 1
servers:
  none: { tools: {} }
  both: { command: node, url: "http://localhost" }
  mixed: { url: "http://localhost", args: [x], cwd: . }
  other: { command: node, headers: { a: b } }
  blank: { command: "" }
`,
    lines: [
      "p.yaml:3:9: The server has neither `command` nor `url`. Say which program to start, or where the server answers.",
      "p.yaml:4:26: The server has both `command` and `url`. Keep the one by which it is reached.",
      "p.yaml:5:37: `args` is for a server with `command`, and this one has `url`.",
      "p.yaml:5:48: `cwd` is for a server with `command`, and this one has `url`.",
      "p.yaml:6:27: `headers` is for a server with `url`, and this one has `command`.",
      "p.yaml:7:21: `command` must not be empty.",
    ],
  },
  {
    title: "takes addresses of http and https without a password",
    text: `version: 1
servers:
  file: { url: "file:///etc/passwd" }
  login: { url: "https://me:pw@example.com" }
  junk: { url: "not an address" }
`,
    lines: [
      "p.yaml:3:16: `url` is not an address that begins with `http://` or `https://`.",
      "p.yaml:4:17: `url` holds a user name or a password. Send them in `headers`, from a variable.",
      "p.yaml:5:16: `url` is not an address that begins with `http://` or `https://`.",
    ],
  },
  {
    title: "takes OAuth where nothing of it can go astray (X21)",
    text: `version: 1
servers:
  program: { command: node, oauth: { for: gateway } }
  both: { url: "https://a.example", headers: { Authorization: x }, oauth: { for: gateway } }
  plain: { url: "http://a.example/mcp", oauth: { for: principal, issuer: "http://b.example" } }
  local: { url: "http://127.0.0.1:1/mcp", oauth: { for: me } }
  secret: { url: "https://a.example", oauth: { for: gateway, client_secret: s } }
  shared: { url: "https://a.example", oauth: { for: gateway, exchange: true } }
`,
    lines: [
      "p.yaml:3:29: `oauth` is for a server with `url`, and this one has `command`.",
      "p.yaml:4:48: The server has `oauth` and a header `authorization`. Keep one of them.",
      "p.yaml:5:17: A server with `oauth` is reached over `https`; `http` only on this machine.",
      "p.yaml:5:74: `issuer` is not an address that begins with `https://`.",
      "p.yaml:6:57: `for` takes `gateway` or `principal`, not `me`.",
      "p.yaml:7:62: `client_secret` needs `client_id`: it is for that one authorization server.",
      "p.yaml:7:62: `client_secret` needs `issuer`: it is for that one authorization server.",
      "p.yaml:8:62: `exchange` needs `client_id`: it is for that one authorization server.",
      "p.yaml:8:62: `exchange` needs `issuer`: it is for that one authorization server.",
      "p.yaml:8:62: `exchange` is for each principal's own token, and this server has one for all.",
    ],
  },
  {
    title: "refuses ids that would make a tool's identity ambiguous",
    text: `version: 1
servers:
  my__server: { command: node, tools: {} }
  _x: { command: node, tools: {} }
  "a b": { command: node, tools: {} }
`,
    lines: [
      "p.yaml:3:3: A server can't be called `my__server`. An id has up to 64 letters, digits, `.`, `-` and single `_`, and begins with a letter or a digit.",
      "p.yaml:4:3: A server can't be called `_x`. An id has up to 64 letters, digits, `.`, `-` and single `_`, and begins with a letter or a digit.",
      "p.yaml:5:3: A server can't be called `a b`. An id has up to 64 letters, digits, `.`, `-` and single `_`, and begins with a letter or a digit.",
    ],
  },
  {
    title: "refuses headers and variables that can't be sent",
    text: `version: 1
servers:
  web:
    url: "http://localhost"
    headers: { "bad name": x, ok: "line\\nbreak", n: 5 }
  mail:
    command: node
    env: { "A=B": x }
`,
    lines: [
      "p.yaml:5:16: A header can't be called `bad name`.",
      "p.yaml:5:35: The value of the header `ok` holds a character that headers can't carry. Look for a line break or a letter outside Latin-1.",
      'p.yaml:5:53: `n` must be text, but `5` is a number. Put it in quotes: `"5"`.',
      "p.yaml:8:12: A variable can't be called `A=B`. Leave out the `=`.",
    ],
  },
];

describe("servers", () => {
  test.each(CASES)("$title", ({ text, lines }) => {
    expect(problemsOf(text)).toEqual(lines);
  });
});
