/** The tool and its principal: the first line of a list's rows. */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { VisibleText } from "../text/visible-text.tsx";
import styles from "./approvals-page.module.css";

interface CallLineProps {
  readonly tool: string;
  readonly principal: string;
  readonly session: string;
}

export const CallLine = ({ tool, principal, session }: CallLineProps): ReactNode => (
  <p className={styles.call}>
    <span className={styles.tool}>
      <VisibleText>{tool}</VisibleText>
    </span>
    <span className={styles.for}>
      for{" "}
      <Link to="/sessions/$id" params={{ id: session }}>
        <VisibleText>{principal}</VisibleText>
      </Link>
    </span>
  </p>
);
