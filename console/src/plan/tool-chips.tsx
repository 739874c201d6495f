/** The session's tools, each a button that adds it to the plan. */
import { memo, type ReactNode, useId, useState } from "react";
import controls from "../styles/controls.module.css";
import { VisibleText } from "../text/visible-text.tsx";
import { groupTools, type PlannableTool, type ToolGroup } from "./group-tools.ts";
import styles from "./plan.module.css";

interface ToolChipsProps {
  readonly tools: readonly PlannableTool[];
  readonly onAdd: (tool: string) => void;
}

/** With more tools, there is a filter. */
const MANY = 20;
/** More of a group are shown on demand. */
const MAX_SHOWN = 24;

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
          <Group key={group.title} group={group} onAdd={onAdd} />
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

interface GroupProps {
  readonly group: ToolGroup;
  readonly onAdd: (tool: string) => void;
}

function Group({ group: { title, tools }, onAdd }: GroupProps): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? tools : tools.slice(0, MAX_SHOWN);
  return (
    <div className={styles.toolGroup}>
      <h3>{title}</h3>
      <ul className={styles.chips}>
        {shown.map((tool) => (
          <li key={tool.tool}>
            <ToolChip tool={tool} onAdd={onAdd} />
          </li>
        ))}
      </ul>
      {tools.length > MAX_SHOWN && (
        <button
          type="button"
          className={controls.button}
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? "Show fewer" : `Show all ${tools.length}`}
        </button>
      )}
    </div>
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
      aria-labelledby={shut ? `${id}name ${id}shut` : `${id}name`}
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
