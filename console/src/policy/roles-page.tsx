/** What each role may use, and what applies to everybody. */
import { useQuery } from "@tanstack/react-query";
import { Fragment, type ReactNode, useMemo } from "react";
import type { Schema } from "../api/client.ts";
import { policyQuery } from "../api/queries.ts";
import { usePageTitle } from "../shell/page-title.ts";
import { Empty, Loading, Problem } from "../shell/states.tsx";
import controls from "../styles/controls.module.css";
import { toDuration } from "../text/time.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import styles from "./policy.module.css";
import { type RoleTools, readRoles, toolsOfRoles } from "./read-roles.ts";
import own from "./roles.module.css";
import { NamesProvider, ToolList, ToolName } from "./tool-names.tsx";

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
            <ul className={own.cards} aria-labelledby="roles-title">
              {all.map((one) => (
                <li key={one.role.name} className={own.card}>
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
        <details className={own.lacks}>
          <summary>Doesn&apos;t have {lacks.length}</summary>
          <ToolList tools={lacks} most={60} />
        </details>
      )}
    </>
  );
}

export interface RolesTableProps {
  readonly roles: readonly RoleTools[];
  readonly tools: readonly string[];
}

/** A scrolling region can be focused and scrolled by keys. */
const SCROLLED = { role: "region", tabIndex: 0, "aria-label": "Tools by role" } as const;

/** Tools and roles, if both are few. */
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

/** What applies to everybody, in every role. */
export function RulesForAll({ policy }: { readonly policy: Schema<"Policy"> }): ReactNode {
  const { rules, approvals, unclassified } = policy;
  return (
    <section className={styles.section} aria-labelledby="rules-title">
      <h2 id="rules-title">Rules for everybody</h2>
      <dl className={own.rules}>
        <dt>Denied tools</dt>
        <dd>
          <Entries entries={rules.denied_tools} none="none" />
        </dd>
        <dt>Allowed tools</dt>
        <dd>
          {rules.allowed_tools === null ? (
            "all others"
          ) : (
            <Entries entries={rules.allowed_tools} none="none at all" />
          )}
        </dd>
        <dt>Tags that a tool must have</dt>
        <dd>
          <Entries entries={rules.require_tags} none="none" />
        </dd>
        <dt>Tools that nobody classified</dt>
        <dd>{unclassified === "ask" ? "a person is asked about each call" : "are withheld"}</dd>
        <dt>Approvals</dt>
        <dd>
          are answered in the <Entries entries={approvals.via} none="no place at all" />, and expire after{" "}
          {toDuration(approvals.expires_seconds * 1000)}
          {approvals.wait_seconds > 0 && `; a call waits for ${toDuration(approvals.wait_seconds * 1000)}`}
        </dd>
      </dl>
    </section>
  );
}

interface EntriesProps {
  readonly entries: readonly string[];
  readonly none: string;
}

function Entries({ entries, none }: EntriesProps): ReactNode {
  if (entries.length === 0) return <span className={controls.muted}>{none}</span>;
  return [...entries.entries()].map(([at, entry]) => (
    <Fragment key={at}>
      {at > 0 && ", "}
      <code>
        <VisibleText>{entry}</VisibleText>
      </code>
    </Fragment>
  ));
}
