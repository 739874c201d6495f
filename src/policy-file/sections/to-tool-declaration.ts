/** A tool of a document of the right shape to its declaration for the core: defaults of flags, compiled conditions. */
import type {
  Approval,
  ApprovalCondition,
  LabelDeclaration,
  Permission,
  ToolDeclaration,
} from "../../core/index.ts";
import { toLabelDeclaration } from "./to-label.ts";
import type { SinkDocument, ToolDocument } from "./tool-schema.ts";

/** What a tool's declaration is made with. */
export interface Making {
  readonly levels: readonly string[];
  /** The conditions of the file, by their text. */
  readonly conditions: ReadonlyMap<string, ApprovalCondition>;
}

export function toToolDeclaration(tool: ToolDocument, making: Making): ToolDeclaration {
  const source = tool.source ?? (tool.is_internal_source ? making.levels[1] : undefined);
  const permissions = new Set<Permission>(tool.permissions);
  if (tool.is_internal_source) permissions.add("read");
  if (tool.is_external) permissions.add("connect");
  return {
    permissions: [...permissions],
    ...(source !== undefined && { source: toLabelDeclaration(source) }),
    ...toRest(tool, making),
  };
}

/** What tools of every kind may say. */
export function toRest(
  { sink, tags, approval, on_violation }: Pick<ToolDocument, "sink" | "tags" | "approval" | "on_violation">,
  making: Making,
) {
  return {
    // Left out, a tool with `connect` has the lowest clearance, which is what `is_external` means.
    ...(sink !== undefined && { sink: toSink(sink) }),
    ...(tags && { tags }),
    ...(approval && { approval: toApproval(approval, making) }),
    ...(on_violation && { onViolation: on_violation }),
  };
}

function toApproval(approval: string, { conditions }: Making): Approval {
  if (approval === "always" || approval === "never") return approval;
  // INVARIANT: every condition was compiled, or the file was refused.
  return conditions.get(approval) ?? "always";
}

export const toSink = (sink: SinkDocument): readonly LabelDeclaration[] =>
  Array.isArray(sink) ? sink.map(toLabelDeclaration) : [toLabelDeclaration(sink)];
