/** Why a call was denied or needs approval, with the calls and data sets that caused it. */
import type { ReactNode } from "react";
import type { Schema } from "../api/client.ts";
import { LevelChip } from "../text/label-chip.tsx";
import { Sentence } from "../text/sentence.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import { EventLink, useSessionEvents } from "./event-link.tsx";
import { type FoundCause, type FoundOrigin, findCauses, findOrigins } from "./find-cause.ts";
import { keyed } from "./keyed.ts";
import styles from "./timeline.module.css";
import { callNumber } from "./timeline-words.ts";

export function Reasons({ reasons }: { readonly reasons: readonly Schema<"Reason">[] }): ReactNode {
  return (
    <div className={styles.reasons}>
      {keyed(reasons, ({ message }) => message).map(({ key, item }) => (
        <p key={key}>
          <Sentence>{item.message}</Sentence>
        </p>
      ))}
      <Causes reasons={reasons} />
    </div>
  );
}

/** Found among the loaded events. */
function Causes({ reasons }: { readonly reasons: readonly Schema<"Reason">[] }): ReactNode {
  const events = useSessionEvents();
  const [causes, origins] = [findCauses(reasons, events), findOrigins(reasons, events)];
  if (causes.length + origins.length === 0) return null;
  return (
    <ul className={styles.causes} aria-label="Caused by">
      {keyed(causes, ({ cause }) => JSON.stringify(cause)).map(({ key, item }) => (
        <li key={key}>
          <CauseLine found={item} />
        </li>
      ))}
      {keyed(origins, (origin) => JSON.stringify(origin)).map(({ key, item }) => (
        <li key={key}>
          <OriginLine found={item} />
        </li>
      ))}
    </ul>
  );
}

function OriginLine({ found: { argument, call, tool, trust, address } }: { readonly found: FoundOrigin }) {
  return (
    <>
      <EventLink to={address}>
        call {call} <VisibleText>{tool}</VisibleText>
      </EventLink>{" "}
      first brought in the value of{" "}
      <code>
        <VisibleText>{argument}</VisibleText>
      </code>{" "}
      (<VisibleText>{trust}</VisibleText>)
    </>
  );
}

function CauseLine({ found: { cause, address, level } }: { readonly found: FoundCause }): ReactNode {
  const tool = cause.tool !== null && <VisibleText>{cause.tool}</VisibleText>;
  const number = cause.step === null ? "" : `call ${callNumber(cause.step)} `;
  const who =
    cause.step === null && tool === false ? (
      "The host"
    ) : (
      <>
        {number}
        {tool}
      </>
    );
  return (
    <>
      {address === null ? who : <EventLink to={address}>{who}</EventLink>} brought in{" "}
      <VisibleText>{cause.dataset}</VisibleText> {level !== null && <LevelChip level={level} />}
    </>
  );
}
