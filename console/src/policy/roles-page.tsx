/** What each role may use, and what applies to everybody. */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import type { Schema } from "../api/client.ts";
import { policyQuery } from "../api/queries.ts";
import { usePageTitle } from "../shell/page-title.ts";
import { Empty, Loading, Problem } from "../shell/states.tsx";
import controls from "../styles/controls.module.css";
import { VisibleText } from "../text/visible-text.tsx";
import styles from "./policy.module.css";
import { type RoleTools, readRoles, toolsOfRoles } from "./read-roles.ts";
import roles from "./roles.module.css";
import { RolesTable } from "./roles-table.tsx";
import { RulesForAll } from "./rules-for-all.tsx";
import { NamesProvider, ToolList } from "./tool-names.tsx";

export function RolesPage(): ReactNode {
  usePageTitle("Policy: roles");
  const { data, error, refetch } = useQuery(policyQuery());
  if (data) return <Roles policy={data} />;
  return error ? <Problem error={error} onRetry={() => void refetch()} /> : <Loading what="the roles" />;
}

function Roles({ policy }: { readonly policy: Schema<"Policy"> }): ReactNode {
  const all = useMemo(() => readRoles(policy), [policy]);
  const tools = toolsOfRoles(all);
  return (
    <NamesProvider tools={policy.tools}>
      <section className={styles.section} aria-labelledby="roles-title">
        <h2 id="roles-title">Roles</h2>
        {all.length === 0 ? (
          <Empty title="The policy has no role">
            Every session may use every classified tool. Roles stand under <code>roles</code> in the
            policy&apos;s file.
          </Empty>
        ) : (
          <>
            <p className={styles.lead}>
              What a session of a role may use at all. One without a role may use every tool that is
              classified. What it holds may shut some of them.
            </p>
            <ul className={roles.cards} aria-labelledby="roles-title">
              {all.map((one) => (
                <li key={one.role.name} className={roles.card}>
                  <RoleCard role={one} />
                </li>
              ))}
            </ul>
            {tools && tools.length > 0 && <RolesTable roles={all} tools={tools} />}
          </>
        )}
      </section>
      <RulesForAll policy={policy} />
    </NamesProvider>
  );
}

function RoleCard({ role: { role, has, lacks } }: { readonly role: RoleTools }): ReactNode {
  return (
    <>
      <h3>
        <VisibleText>{role.name}</VisibleText>
      </h3>
      <p className={controls.small}>
        <span className={controls.muted}>may </span>
        {role.permissions === null
          ? "what its tools declare"
          : role.permissions.length === 0
            ? "nothing"
            : role.permissions.join(", ")}
      </p>
      <h4>Has {has.length}</h4>
      {has.length === 0 ? (
        <p className={controls.muted}>no tool at all</p>
      ) : (
        <ToolList tools={has} most={8} />
      )}
      {lacks.length > 0 && (
        <details className={roles.lacks}>
          <summary>Doesn&apos;t have {lacks.length}</summary>
          <ToolList tools={lacks} most={60} />
        </details>
      )}
    </>
  );
}
