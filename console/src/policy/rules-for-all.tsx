/** What applies to everybody, in every role. */
import { Fragment, type ReactNode } from "react";
import type { Schema } from "../api/client.ts";
import controls from "../styles/controls.module.css";
import { toDuration } from "../text/time.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import styles from "./policy.module.css";
import own from "./roles.module.css";

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
