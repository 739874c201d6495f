/** Names that something on the way could read as more than a name. */
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  directory,
  file,
  git,
  ignored,
  makeRepository,
  OPEN,
  type PathCase,
  SECRET,
  track,
  tracked,
  write,
} from "./path-case.ts";

const ODD: Readonly<Record<string, string>> = {
  "with spaces": "a b  c.txt",
  "with a space before and after": " a ",
  "with composed letters": "\u00fcber-\u00e9.txt",
  "with decomposed letters": "u\u0308ber-e\u0301.txt",
  "in Hebrew": "\u05e7\u05d5\u05d1\u05e5.txt",
  "of pictures": "\u{1f512}\u{1f1e8}\u{1f1ed}.md",
  "in double quotes": '"a".txt',
  "in single quotes": "'a'.txt",
  "with a line end": "a\nb.txt",
  "that ends with a line end": "a\n",
  "with a return": "a\rb",
  "with a tab": "a\tb",
  "with a control character": "a\u0001b",
  "with a line separator of Unicode": "a\u2028b",
  "with backslashes": "a\\b\\.txt",
  "that ends with a backslash": "a\\",
  "that is an option": "--help",
  "that is two dashes": "--",
  "that is a dash": "-",
  "that is a short option": "-z",
  "that is a star": "*",
  "with a question mark": "a?b",
  "with a class": "[ab]",
  "with a negated class": "[!a]",
  "with braces": "{a,b}",
  "with double stars": "**x**",
  "with magic that excludes": ":!a",
  "with magic of the top": ":(top)a",
  "with literal magic": ":(literal)a",
  "that is a colon": ":",
  "that begins with a hash": "#a",
  "that begins with an exclamation mark": "!a",
  "that begins with a tilde": "~a",
  "with a variable": "$HOME",
  "with backquotes": "`id`",
  "with a percent code": "%2e%2e",
  "with a semicolon": "a;touch b",
  "with dots inside": "a..b",
  "of three dots": "...",
  "of 255 bytes": "n".repeat(255),
};

const LETTERS = Object.entries(ODD).flatMap(([what, name]): PathCase[] => [
  {
    title: `lets a tracked file be read whose name is one ${what} (D1, D4)`,
    build: ({ root }) => tracked(root, `d/${name}`, name),
    ask: file(name),
    expect: "allow",
  },
  {
    title: `asks for an ignored file whose name is one ${what}, beside tracked ones (D1, D4)`,
    build: async ({ root }) => {
      ignored(join(root), ["n/*"], `n/${name}`);
      for (const other of ["n/a", "n/b", "n/ab", "n/a1b", "a"]) write(join(root, other));
      await track(root, "n/a", "n/b", "n/ab", "n/a1b", "a");
    },
    ask: file(`n/${name}`),
    expect: "ask",
    reason: "ignored",
  },
]);

const FOLDERS = [
  "*",
  "[a]",
  ":(top)keep",
  ":!keep",
  ":",
  "-q",
  "--stdin",
  "a\nb",
  '"q"',
  "\\",
  "#x",
  "!x",
].flatMap((name): PathCase[] => [
  {
    title: `lets a folder be listed that is called ${JSON.stringify(name)} (D1, D4)`,
    build: ({ root }) => tracked(root, `${name}/a.txt`, "keep/b.txt"),
    ask: directory(name),
    expect: "allow",
  },
  {
    title: `asks for an ignored folder that is called ${JSON.stringify(name)} (D1, D4)`,
    build: async ({ root }) => {
      ignored(root, ["/n/*/"], `n/${name}/secret`);
      write(join(root, "n/.gitignore"), "!keep/\n!a/");
      for (const other of ["n/keep/b.txt", "n/a/b.txt", "keep/b.txt"]) write(join(root, other));
      await track(root, "n/keep/b.txt", "n/a/b.txt", "keep/b.txt");
    },
    ask: ({ root }) => ({ ...directory(name), root: join(root, "n") }),
    expect: "ask",
    reason: "ignored",
  },
]);

const GLOBS: PathCase[] = [
  ["secret*", "secret-template"],
  ["g/[a]", "g/a"],
  ["p/[id]/page.ts", "p/i/page.ts"],
  ["q/?", "q/x"],
  ["**/x", "deep/x"],
].map(
  ([name = "", sibling = ""]): PathCase => ({
    title: `asks for the ignored file ${name} though ${sibling} is tracked (D4)`,
    build: async ({ root }) => {
      makeRepository(root);
      write(join(root, name), SECRET);
      write(join(root, ".gitignore"), `/${name.replaceAll(/[[\]*?]/g, "\\$&")}`);
      write(join(root, sibling));
      await track(root, sibling);
    },
    ask: file(name),
    expect: "ask",
    reason: "ignored",
  }),
);

/** A path with the byte 0xff, which no text has. */
const bytes = (root: string, name: string) =>
  Buffer.concat([Buffer.from(`${root}/${name}`), Buffer.from([0xff])]);

const NOT_TEXT: PathCase[] = [
  {
    title: "asks for the ignored file whose name is what a tracked name that isn't text reads as (D4)",
    build: async ({ root }) => {
      ignored(root, ["s\ufffd"], "s\ufffd");
      writeFileSync(bytes(root, "s"), `${OPEN}\n`);
      await git(root, "add", "-A");
    },
    ask: file("s\ufffd"),
    expect: "ask",
    reason: "ignored",
  },
  {
    title: "asks for a link to a name that isn't text, though what it reads as is tracked (D4)",
    build: async ({ root }) => {
      makeRepository(root);
      write(join(root, "s\ufffd"));
      await track(root, "s\ufffd");
      writeFileSync(bytes(root, "s"), `${SECRET}\n`);
      write(join(root, ".gitignore"), "s?\n!s\ufffd");
      symlinkSync(Buffer.concat([Buffer.from("s"), Buffer.from([0xff])]), join(root, "link"));
    },
    ask: file("link"),
    expect: "ask",
  },
  {
    title: "lets the tracked file be read whose name is what an ignored name that isn't text reads as (D4)",
    build: async ({ root }) => {
      makeRepository(root);
      write(join(root, "s\ufffd"));
      await track(root, "s\ufffd");
      writeFileSync(bytes(root, "s"), `${SECRET}\n`);
      write(join(root, ".gitignore"), "s*");
    },
    ask: file("s\ufffd"),
    expect: "allow",
  },
];

const UNCLEAR: PathCase[] = [
  {
    title: "asks for a path with a NUL (D4)",
    build: ({ root }) => tracked(root, "a.txt"),
    ask: file("a.txt\0.png"),
    expect: "ask",
    reason: "unclear-path",
  },
  {
    title: "asks where the root has a NUL (D4)",
    build: ({ root }) => tracked(root, "a.txt"),
    ask: ({ root }) => ({ ...file("a.txt"), root: `${root}\0` }),
    expect: "ask",
  },
  {
    title: "asks for a name that turns the direction of writing (D4)",
    build: ({ root }) => tracked(root, "a\u202etxt.exe"),
    ask: file("a\u202etxt.exe"),
    expect: "ask",
    reason: "unclear-path",
  },
  {
    title: "asks for half a surrogate pair (D4)",
    build: ({ root }) => tracked(root, "a\ufffd"),
    ask: file("a\ud800"),
    expect: "ask",
  },
  {
    title: "asks for a name that is longer than any can be (D4)",
    build: ({ root }) => tracked(root, "a.txt"),
    ask: file("n".repeat(300)),
    expect: "ask",
  },
  {
    title: "asks for a path that is longer than any can be (D4)",
    build: ({ root }) => tracked(root, "a.txt"),
    ask: file(`${"n/".repeat(5000)}a.txt`),
    expect: "ask",
  },
  ...["~", "~/a.txt", "$HOME/a.txt", "file:a.txt", "%61.txt"].map(
    (path): PathCase => ({
      title: `reads nothing into ${path} and finds nothing there (D4)`,
      build: ({ root }) => tracked(root, "a.txt"),
      ask: file(path),
      expect: "ask",
    }),
  ),
  {
    title: "tells two names apart that differ in how a letter is composed (D4)",
    build: async ({ root }) => {
      ignored(root, ["u\u0308"], "u\u0308");
      write(join(root, "\u00fc"));
      await track(root, "\u00fc");
    },
    ask: file("u\u0308"),
    expect: "ask",
    reason: "ignored",
  },
];

export const NAMES: readonly PathCase[] = [...LETTERS, ...FOLDERS, ...GLOBS, ...NOT_TEXT, ...UNCLEAR];
