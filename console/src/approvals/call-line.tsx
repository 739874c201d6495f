/** Which tool, for whom: the first line of each row of a list. */
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
