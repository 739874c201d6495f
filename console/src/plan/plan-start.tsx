/** An empty plan: instructions, and an example if the session has its tools. */
import type { ReactNode } from "react";
import type { Schema } from "../api/client.ts";
import { Empty } from "../shell/states.tsx";
import controls from "../styles/controls.module.css";
import styles from "./plan.module.css";

const EXAMPLE = ["search_email", "web_search", "github_create_pr"] as const;

export interface PlanStartProps {
  readonly tools: Schema<"SessionTools">["tools"];
  readonly onTake: (names: readonly string[]) => void;
}

export function PlanStart({ tools, onTake }: PlanStartProps): ReactNode {
  const names = new Set(tools.map(({ name }) => name));
  const hasExample = EXAMPLE.every((name) => names.has(name));
  return (
    <Empty title="No steps yet">
      <p>
        Add tools in the order in which an agent would call them. Under each step you see whether it would go
        through, and what it would shut for those after it.
      </p>
      {hasExample && (
        <p className={styles.example}>
          <button
            type="button"
            className={controls.button}
            onClick={() => {
              onTake(EXAMPLE);
              document.getElementById("plan-title")?.focus();
            }}
          >
            Try {EXAMPLE.join(", ")}
          </button>
        </p>
      )}
    </Empty>
  );
}
