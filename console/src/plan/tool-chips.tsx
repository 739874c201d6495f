/** The session's tools, each a button that adds it to the plan. */
import { memo, type ReactNode, useId, useState } from "react";
import controls from "../styles/controls.module.css";
import { VisibleText } from "../text/visible-text.tsx";
import { groupTools, type PlannableTool } from "./group-tools.ts";
import styles from "./plan.module.css";

export interface ToolChipsProps {
  readonly tools: readonly PlannableTool[];
  readonly onAdd: (tool: string) => void;
}

/** More than these want a filter. */
const MANY = 20;
/** More than these are found by the filter. */
const MOST_SHOWN = 120;

export function ToolChips({ tools, onAdd }: ToolChipsProps): ReactNode {
  const [find, setFind] = useState("");
  const groups = groupTools(tools, find);
  const found = groups.reduce((sum, group) => sum + group.tools.length, 0);
  return (
    <section className={styles.tools} aria-labelledby="tools-title">
      <h2 id="tools-title">Tools</h2>
      {tools.length > MANY && (
        <label className={controls.label}>
          Find a tool
          <input className={controls.field} value={find} onChange={(event) => setFind(event.target.value)} />
        </label>
      )}
      <fieldset className={styles.toolGroups} aria-labelledby="tools-title">
        {groups.map((group) => (
          <div key={group.title} className={styles.toolGroup}>
            <h3>{group.title}</h3>
            <ul className={styles.chips}>
              {group.tools.slice(0, MOST_SHOWN).map((tool) => (
                <li key={tool.tool}>
                  <ToolChip tool={tool} onAdd={onAdd} />
                </li>
              ))}
            </ul>
            {group.tools.length > MOST_SHOWN && (
              <p className={controls.muted}>and {group.tools.length - MOST_SHOWN} more: find them by name.</p>
            )}
          </div>
        ))}
      </fieldset>
      {found === 0 && (
        <p className={controls.muted}>
          {tools.length === 0 ? "This session sees no tool." : "No tool has such a name."}
        </p>
      )}
    </section>
  );
}

interface ToolChipProps {
  readonly tool: PlannableTool;
  readonly onAdd: (tool: string) => void;
}

const ToolChip = memo(function ToolChip({ tool, onAdd }: ToolChipProps): ReactNode {
  const id = useId();
  const shut = tool.blocked ? (tool.releasable ? "shut, may be released" : "shut now") : null;
  return (
    <button
      type="button"
      className={styles.chip}
      data-shut={tool.blocked}
      aria-labelledby={`${id}name`}
      aria-describedby={shut ? `${id}shut` : undefined}
      onClick={() => onAdd(tool.name)}
    >
      <span id={`${id}name`} className={styles.chipName}>
        <span className={controls.hidden}>Add </span>
        <VisibleText>{tool.name}</VisibleText>
      </span>
      {shut && (
        <span id={`${id}shut`} className={styles.chipShut}>
          {shut}
        </span>
      )}
    </button>
  );
});
