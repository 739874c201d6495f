/** Tools by name, the first few at once and the others on demand. */
import { createContext, Fragment, type ReactNode, useContext, useMemo } from "react";
import { VisibleText } from "../text/visible-text.tsx";
import type { PolicyTool } from "./find-tools.ts";
import styles from "./tool-names.module.css";

const NamesContext = createContext<ReadonlyMap<string, string>>(new Map());

interface ToolNamesProps {
  readonly tools: readonly PolicyTool[];
  readonly children: ReactNode;
}

/** Provides the names that agents use; below it, tools are named by their identities. */
export function NamesProvider({ tools, children }: ToolNamesProps): ReactNode {
  const names = useMemo(() => new Map(tools.map(({ tool, name }) => [tool, name])), [tools]);
  return <NamesContext value={names}>{children}</NamesContext>;
}

/** The name that agents use for a tool; its identity if there is no other. */
export function useToolName(): (tool: string) => string {
  const names = useContext(NamesContext);
  return (tool) => names.get(tool) ?? tool;
}

export function ToolName({ tool }: { readonly tool: string }): ReactNode {
  const nameOf = useToolName();
  return (
    <code>
      <VisibleText>{nameOf(tool)}</VisibleText>
    </code>
  );
}

/** How many are listed. */
const FEW = 4;

interface ToolListProps {
  readonly tools: readonly string[];
  readonly most?: number;
}

export function ToolList({ tools, most = FEW }: ToolListProps): ReactNode {
  // One more takes no more space than the button.
  const shown = tools.length <= most + 1 ? tools : tools.slice(0, most);
  const folded = tools.slice(shown.length);
  return (
    <div className={styles.list}>
      <Names tools={shown} />
      {folded.length > 0 && (
        <details>
          <summary>and {folded.length} more</summary>
          <Names tools={folded} />
        </details>
      )}
    </div>
  );
}

function Names({ tools }: { readonly tools: readonly string[] }): ReactNode {
  return (
    <ul className={styles.names}>
      {tools.map((tool) => (
        <li key={tool}>
          <ToolName tool={tool} />
        </li>
      ))}
    </ul>
  );
}

/** The first of several tools, and how many more there are, within a sentence. */
export function FirstTool({ tools }: { readonly tools: readonly string[] }): ReactNode {
  const [first] = tools;
  const more = tools.length - 1;
  return (
    <Fragment>
      {first === undefined ? "it" : <ToolName tool={first} />}
      {more > 0 && ` and ${more} more`}
    </Fragment>
  );
}
