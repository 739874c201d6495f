/** Checks that the tools a role names can be meant, as the policy itself will do when it is built. */
import {
  assertKnownTools,
  BUILTIN_TOOLS,
  InvalidToolError,
  isPattern,
  type KnownTools,
} from "../core/index.ts";
import type { Declared } from "./declared.ts";
import { createSuggester } from "./near-miss.ts";
import { quote, quoteAll } from "./quote.ts";
import type { Report } from "./report.ts";
import type { Wording } from "./shape-wording.ts";
import { child, entriesOf, type TextTree, type Tree, textsOf } from "./tree.ts";

export function checkRoles(root: Tree, declared: Declared, report: Report): void {
  const servers = [...declared.known.servers];
  const names = new Set(declared.known.declared);
  const suggest = createSuggester([...names, ...BUILTIN_TOOLS]);
  for (const { value: role } of entriesOf(child(root, "roles"))) {
    for (const tool of textsOf(child(role, "tools"))) {
      // A name can only be declared by itself, so that one is enough to know; a pattern by any.
      const known = isPattern(tool.value) ? names : [tool.value].filter((name) => names.has(name));
      if (tool.value === "" || isKnown(tool.value, { servers, declared: known })) continue;
      report.add(tool.at, ...wordUnknown(tool, suggest(tool), declared));
    }
  }
}

function isKnown(tool: string, known: KnownTools): boolean {
  try {
    assertKnownTools([tool], known);
    return true;
  } catch (error) {
    if (error instanceof InvalidToolError) return false;
    throw error;
  }
}

function wordUnknown(tool: TextTree, suggestion: string, declared: Declared): Wording {
  const message = `There is no tool ${quote(tool.written)}${suggestion}`;
  return [message, suggestion === "." ? fixFor(declared) : undefined];
}

function fixFor({ known, tools }: Declared): string {
  const ids = tools.map(({ id }) => id).filter((id) => !isPattern(id));
  const servers = [...known.servers].map((server) => `mcp__${server}__*`);
  return `Declare it under \`tools\`, or use one of ${quoteAll([...ids, ...servers, ...BUILTIN_TOOLS])}.`;
}
