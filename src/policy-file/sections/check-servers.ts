/** Checks servers: how they are called, and that each says in one way how it is reached. */
import { isServerId } from "../../core/index.ts";
import { quote } from "../document/quote.ts";
import type { Report } from "../document/report.ts";
import { child, entriesOf, entryOf, isText, type MapTree, type Tree } from "../document/tree.ts";
import type { Declared } from "./declared.ts";

const ID_FIX =
  "An id has up to 64 letters, digits, `.`, `-` and single `_`, and begins with a letter or a digit.";
const KEYS_OF = { command: ["args", "env", "cwd"], url: ["headers"] } as const;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7E\x80-\xFF]*$/;
const VARIABLE_NAME = /^[^=]+$/;

export function checkServers(declared: Declared, report: Report): void {
  for (const { key, at, value } of declared.servers) {
    if (!isServerId(key)) report.add(at, `A server can't be called ${quote(key)}.`, ID_FIX);
    if (value.kind !== "map") continue;
    checkTransport(value, report);
    checkUrl(child(value, "url"), report);
    checkHeaders(child(value, "headers"), report);
    for (const variable of entriesOf(child(value, "env"))) {
      if (!VARIABLE_NAME.test(variable.key)) {
        report.add(variable.at, `A variable can't be called ${quote(variable.key)}.`, "Leave out the `=`.");
      }
    }
  }
}

function checkTransport(server: MapTree, report: Report): void {
  const [first, second] = entriesOf(server).filter(({ key }) => key === "command" || key === "url");
  if (first === undefined) {
    report.add(
      server.at,
      "The server has neither `command` nor `url`.",
      "Say which program to start, or where the server answers.",
    );
  } else if (second !== undefined) {
    report.add(second.at, "The server has both `command` and `url`.", "Keep the one by which it is reached.");
  } else {
    const other = first.key === "url" ? "command" : "url";
    for (const key of KEYS_OF[other]) {
      const misplaced = entryOf(server, key);
      if (misplaced)
        report.add(
          misplaced.at,
          `${quote(key)} is for a server with \`${other}\`, and this one has \`${first.key}\`.`,
        );
    }
  }
}

// THREAT: a variable may fill in a secret, so an address is not quoted.
function checkUrl(tree: Tree | undefined, report: Report): void {
  if (!isText(tree) || tree.value === "") return;
  const url = URL.parse(tree.value);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    report.add(tree.at, "`url` is not an address that begins with `http://` or `https://`.");
  } else if (url.username !== "" || url.password !== "") {
    report.add(tree.at, "`url` holds a user name or a password.", "Send them in `headers`, from a variable.");
  }
}

export function checkHeaders(headers: Tree | undefined, report: Report): void {
  for (const { key, at, value } of entriesOf(headers)) {
    if (!HEADER_NAME.test(key)) report.add(at, `A header can't be called ${quote(key)}.`);
    if (isText(value) && !HEADER_VALUE.test(value.value)) {
      report.add(
        value.at,
        `The value of the header ${quote(key)} holds a character that headers can't carry.`,
        "Look for a line break or a letter outside Latin-1.",
      );
    }
  }
}
