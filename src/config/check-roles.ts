/** Checks that the tools a role names can be meant, as the policy itself will do when it is built. */
import { assertKnownTools, BUILTIN_TOOLS, InvalidToolError, type KnownTools } from "../core/tool-set.ts";
import type { Declared } from "./declared.ts";
import { didYouMeanValue, nearMiss } from "./near-miss.ts";
import { quote, quoteAll } from "./quote.ts";
import type { Report } from "./report.ts";
import { child, entriesOf, type TextTree, type Tree, textsOf } from "./tree.ts";

export function checkRoles(root: Tree, { known }: Declared, report: Report): void {
  for (const { value: role } of entriesOf(child(root, "roles"))) {
    const tools = textsOf(child(role, "tools")).filter(({ value }) => value !== "");
    if (areKnown(tools, known)) continue;
    for (const tool of tools) {
      if (!areKnown([tool], known)) reportUnknown(tool, known, report);
    }
  }
}

function areKnown(tools: readonly TextTree[], known: KnownTools): boolean {
  try {
    assertKnownTools(
      tools.map(({ value }) => value),
      known,
    );
    return true;
  } catch (error) {
    if (error instanceof InvalidToolError) return false;
    throw error;
  }
}

function reportUnknown(tool: TextTree, known: KnownTools, report: Report): void {
  const names = [...known.declared, ...BUILTIN_TOOLS];
  const message = `There is no tool ${quote(tool.written)}${didYouMeanValue(tool, names)}`;
  report.add(tool.at, message, nearMiss(tool.written, names) === undefined ? fixFor(known) : undefined);
}

function fixFor(known: KnownTools): string {
  const servers = [...known.servers].map((server) => `mcp__${server}__*`);
  return `Declare it under \`tools\`, or use one of ${quoteAll([...known.declared, ...servers, ...BUILTIN_TOOLS])}.`;
}
