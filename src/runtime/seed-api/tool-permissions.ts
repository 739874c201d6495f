/**
 * Permissions of plain functions, without a policy file: declare what a function does, then enforce it (it stays
 * visible and explains its refusal) or filter it (it isn't there).
 */
import { PERMISSIONS, type Permission, quoteName } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import { collectPermissions } from "../grant.ts";
import { assertGiven } from "../option-shapes.ts";

// The wrapper keeps the function's own type.
type AnyFunction = (...args: never[]) => unknown;

/** Granted permissions, or a function that is called at every call. */
export type GrantedPermissions = Iterable<Permission> | (() => Iterable<Permission>);

/** A call without a needed permission. `details` has `tool` and `missing`. */
export class ToolPermissionError extends SluicegateError {
  readonly tool: string;
  readonly missing: readonly Permission[];

  constructor(tool: string, missing: readonly Permission[], cause?: unknown) {
    const needed = missing.join(", ");
    super("permission-denied", `Tool ${quoteName(tool)} is not allowed: it needs ${needed}.`, {
      why:
        cause === undefined
          ? "These permissions are not granted now."
          : "The function that grants permissions threw, so nothing is granted.",
      fix: "Use another tool, or ask the operator for the permission.",
      details: { tool, missing },
      cause,
    });
    this.name = "ToolPermissionError";
    this.tool = tool;
    this.missing = missing;
  }
}

const declared = new WeakMap<AnyFunction, readonly Permission[]>();

/** Declares what a function does; returns the same function. */
export function declarePermissions<Tool extends AnyFunction>(
  tool: Tool,
  permissions: Iterable<Permission>,
): Tool {
  assertGiven("function", tool, "tool");
  declared.set(tool, Object.freeze(collectPermissions(permissions)));
  return tool;
}

/** What a function needs; without a declaration, everything. */
export const permissionsOf = (tool: AnyFunction): readonly Permission[] => declared.get(tool) ?? PERMISSIONS;

function missingFor(tool: AnyFunction, granted: GrantedPermissions): readonly Permission[] {
  const held = new Set(typeof granted === "function" ? granted() : granted);
  return permissionsOf(tool).filter((permission) => !held.has(permission));
}

function assertGranted(tool: AnyFunction, granted: GrantedPermissions): void {
  let missing: readonly Permission[];
  try {
    missing = missingFor(tool, granted);
  } catch (cause) {
    throw new ToolPermissionError(tool.name, permissionsOf(tool), cause);
  }
  if (missing.length > 0) throw new ToolPermissionError(tool.name, missing);
}

function assertGrant(granted: GrantedPermissions): void {
  if (typeof granted !== "function") assertGiven("permissions", granted, "granted");
}

const isAsync = (tool: AnyFunction): boolean =>
  Object.prototype.toString.call(tool) === "[object AsyncFunction]";

/**
 * The same function, refused while a permission is missing. A grant that is a function is called at every call, so it
 * can change during a conversation. Name, length, type and async-ness are kept: a synchronous function throws, an
 * async one rejects.
 * @throws ToolPermissionError from the returned function.
 */
export function enforceToolPermission<Tool extends AnyFunction>(
  tool: Tool,
  granted: GrantedPermissions,
): Tool {
  assertGiven("function", tool, "tool");
  assertGrant(granted);
  const guarded = isAsync(tool)
    ? async function (this: unknown, ...args: never[]): Promise<unknown> {
        assertGranted(tool, granted);
        return Reflect.apply(tool, this, args);
      }
    : function (this: unknown, ...args: never[]): unknown {
        assertGranted(tool, granted);
        return Reflect.apply(tool, this, args);
      };
  Object.defineProperty(guarded, "name", { value: tool.name, configurable: true });
  Object.defineProperty(guarded, "length", { value: tool.length, configurable: true });
  declared.set(guarded, permissionsOf(tool));
  // The wrapper has the tool's parameters and result.
  return guarded as Tool;
}

/** `enforceToolPermission` for each tool of a list; order and types are kept. */
export function enforceToolsPermissions<const Tools extends readonly AnyFunction[]>(
  tools: Tools,
  granted: GrantedPermissions,
): { -readonly [At in keyof Tools]: Tools[At] } {
  const guarded: readonly AnyFunction[] = tools.map((tool) => enforceToolPermission(tool, granted));
  // Each wrapper is at its tool's position.
  return guarded as { -readonly [At in keyof Tools]: Tools[At] };
}

/** The tools that are allowed now; the agent never sees the others. */
export const filterToolsByPermission = <Tool extends AnyFunction>(
  tools: readonly Tool[],
  granted: GrantedPermissions,
): Tool[] => {
  assertGrant(granted);
  return tools.filter((tool) => missingFor(tool, granted).length === 0);
};
