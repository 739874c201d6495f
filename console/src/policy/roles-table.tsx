/** Tools and roles, if both are few. */
import type { ReactNode } from "react";
import { VisibleText } from "../text/visible-text.tsx";
import styles from "./policy.module.css";
import type { RoleTools } from "./read-roles.ts";
import own from "./roles.module.css";
import { ToolName } from "./tool-names.tsx";

export interface RolesTableProps {
  readonly roles: readonly RoleTools[];
  readonly tools: readonly string[];
}

/** A scrolling region can be focused and scrolled by keys. */
const SCROLLED = { role: "region", tabIndex: 0, "aria-label": "Tools by role" } as const;

export function RolesTable({ roles, tools }: RolesTableProps): ReactNode {
  const sets = roles.map(({ has }) => new Set(has));
  return (
    <>
      <h3 id="by-tool-title">By tool</h3>
      <div {...SCROLLED} className={own.region}>
        <table className={own.table} aria-labelledby="by-tool-title">
          <thead>
            <tr>
              <th scope="col">Tool</th>
              {roles.map(({ role }) => (
                <th key={role.name} scope="col">
                  <VisibleText>{role.name}</VisibleText>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {tools.map((tool) => (
              <tr key={tool}>
                <th scope="row" className={styles.name}>
                  <ToolName tool={tool} />
                </th>
                {roles.map(({ role }, at) => (
                  <td key={role.name} data-has={sets[at]?.has(tool)}>
                    {sets[at]?.has(tool) ? "has" : "–"}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
