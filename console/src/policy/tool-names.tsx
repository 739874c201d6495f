/** Tools by name, the first few at once and the others on demand. */
import { createContext, Fragment, type ReactNode, useContext, useMemo } from "react";
import { VisibleText } from "../text/visible-text.tsx";
import type { PolicyTool } from "./find-tools.ts";
import styles from "./tool-names.module.css";

const NamesContext = createContext<ReadonlyMap<string, string>>(new Map());

export interface ToolNamesProps {
  readonly tools: readonly PolicyTool[];
  readonly children: ReactNode;
}

/** Knows what agents call the tools, inside of which they are named by their identities. */
export function NamesProvider({ tools, children }: ToolNamesProps): ReactNode {
  const names = useMemo(() => new Map(tools.map(({ tool, name }) => [tool, name])), [tools]);
  return <NamesContext value={names}>{children}</NamesContext>;
}

/** What agents call a tool; its identity where the policy has no other name for it. */
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

/** Listed before the rest is folded. */
const FEW = 4;

export interface ToolListProps {
  readonly tools: readonly string[];
  readonly most?: number;
}

export function ToolList({ tools, most = FEW }: ToolListProps): ReactNode {
  // One more takes no more room than the words that it is folded.
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

/** The first of several tools, and how many more there are, inside a sentence. */
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
