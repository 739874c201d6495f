/** Checks that the tools a role names can be meant, as the policy itself will do when it is built. */
import {
  assertKnownTools,
  BUILTIN_TOOLS,
  InvalidToolError,
  isPattern,
  type KnownTools,
  parseToolId,
} from "../../core/index.ts";
import { createSuggester } from "../document/near-miss.ts";
import { quote, quoteAll } from "../document/quote.ts";
import type { Report } from "../document/report.ts";
import { child, entriesOf, type TextTree, type Tree, textsOf, toText } from "../document/tree.ts";
import type { Wording } from "../shape-wording.ts";
import type { Declared } from "./declared.ts";

export function checkRoles(root: Tree, declared: Declared, report: Report): void {
  const servers = [...declared.known.servers];
  const names = new Set(declared.known.declared);
  const patterns = declared.tools.map(({ id }) => id).filter(isPattern);
  const suggest = createSuggester([...names, ...BUILTIN_TOOLS]);
  const policy = child(root, "policy");
  if (policy) checkLimits(policy, report);
  for (const { value: role } of entriesOf(child(root, "roles"))) {
    checkLimits(role, report);
    for (const tool of toolsNamedBy(role)) {
      // A name is declared by itself or by a pattern, so that these are enough to know; a pattern by any name.
      const own = [tool.value].filter((name) => names.has(name));
      const known = isPattern(tool.value) ? names : [...own, ...patterns];
      if (tool.value === "" || isKnown(tool.value, { servers, declared: known })) continue;
      report.add(tool.at, ...wordUnknown(tool, suggest(tool), declared));
    }
  }
}

/** The tools of a role, and those of whose approvals it says something. */
export const toolsNamedBy = (role: Tree): readonly TextTree[] => [
  ...textsOf(child(role, "tools")),
  ...entriesOf(child(role, "approval")).map(toText),
];

/** An entry that could never match would let through what it was to deny. */
function checkLimits(policyOrRole: Tree, report: Report): void {
  for (const key of ["allowed_tools", "denied_tools"]) {
    for (const item of textsOf(child(policyOrRole, key))) {
      if (!item.value.startsWith("mcp__") || parseToolId(item.value).server !== null) continue;
      const fix = "Write `mcp__{server}__{tool}`; either part may hold `*`.";
      report.add(item.at, `${quote(item.written)} in ${quote(key)} is not the name of a server's tool.`, fix);
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
