/** Why the call needs approval, where the session's data came from, and its label. */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Approval } from "../api/queries.ts";
import { Gauge } from "../gauge/gauge.tsx";
import { toHash } from "../sessions/event-address.ts";
import { findOrigins } from "../sessions/find-cause.ts";
import { LabelChip } from "../text/label-chip.tsx";
import { Sentence } from "../text/sentence.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import styles from "./card.module.css";

interface CardPartProps {
  readonly approval: Approval;
}

export function WhyAsked({ approval }: CardPartProps): ReactNode {
  const { why, reasons, facts, session_id: id } = approval;
  return (
    <section className={styles.part}>
      <h3>Why it is asked</h3>
      <ul className={styles.sentences}>
        {[...new Set(why)].map((sentence) => (
          <li key={sentence}>
            <Sentence>{sentence}</Sentence>
          </li>
        ))}
      </ul>
      <p className={styles.codes}>
        {[...new Set(reasons.map(({ code }) => code))].map((code) => (
          <code key={code}>
            <VisibleText>{code}</VisibleText>
          </code>
        ))}
        {findOrigins(reasons, []).map(({ argument, call, tool, address }) => (
          <span key={`${argument} ${call}`}>
            <code>
              <VisibleText>{argument}</VisibleText>
            </code>{" "}
            first seen in{" "}
            <Link to="/sessions/$id" params={{ id }} hash={toHash(address)} hashScrollIntoView={false}>
              call {call} <VisibleText>{tool}</VisibleText>
            </Link>
          </span>
        ))}
        {facts?.when && (
          <span>
            Rule:{" "}
            <code>
              <VisibleText>{facts.when}</VisibleText>
            </code>
          </span>
        )}
      </p>
    </section>
  );
}

export function WhereFrom({ approval }: CardPartProps): ReactNode {
  const { held, more_held, tool, facts } = approval;
  return (
    <section className={styles.part}>
      <h3>Where the data comes from</h3>
      {held.length === 0 ? (
        <p>This session has read nothing private so far.</p>
      ) : (
        <ol className={styles.path}>
          {toSteps(held).map(({ key, one }) => (
            <li key={key}>
              <span className={styles.step}>
                {one.step === null ? "outside a call" : `call ${one.step + 1}`}
              </span>
              <span className={styles.origin}>
                {one.tool !== null && (
                  <code>
                    <VisibleText>{one.tool}</VisibleText>
                  </code>
                )}
                <span className={styles.brought}>
                  <LabelChip label={one.label} />
                  {one.more_categories > 0 && <span>and {one.more_categories} more categories</span>}
                  {one.reported ? (
                    <span className={styles.dataset}>
                      reported by the agent, who calls it “<VisibleText>{one.dataset}</VisibleText>”
                    </span>
                  ) : (
                    one.dataset !== one.tool && (
                      <span className={styles.dataset}>
                        (<VisibleText>{one.dataset}</VisibleText>)
                      </span>
                    )
                  )}
                </span>
              </span>
            </li>
          ))}
          {more_held > 0 && <li>and {more_held} more</li>}
          <li>
            <span className={styles.step}>this call</span>
            <span className={styles.origin}>
              <code>
                <VisibleText>{facts?.name ?? tool}</VisibleText>
              </code>
            </span>
          </li>
        </ol>
      )}
    </section>
  );
}

/** Equal steps are distinguished by their number. */
function toSteps(held: Approval["held"]): readonly { readonly key: string; one: Approval["held"][number] }[] {
  return held.map((one, at) => ({ key: `${at} ${one.dataset}`, one }));
}

export function WhatIsHeld({ approval }: CardPartProps): ReactNode {
  return (
    <section className={styles.part}>
      <div className={styles.holds}>
        <h3>What the session holds</h3>
        <LabelChip label={approval.session_label} />
      </div>
      <Gauge gauge={approval.gauge} height={112} />
    </section>
  );
}
