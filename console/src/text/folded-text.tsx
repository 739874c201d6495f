/**
 * A long value as a whole, in a scrolling region. It is rendered block by block, so that five million characters
 * don't block the page, and aren't laid out before they are visible.
 */
import { memo, type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from "react";
import styles from "./folded-text.module.css";
import { type TextBlock, toBlocks } from "./shown-parts.ts";
import { ShownText } from "./shown-text.tsx";

/** Blocks rendered in one turn. */
const BATCH = 8;

export interface RegionProps {
  /** The id of the element that names it. */
  readonly labelledBy: string;
  /** Takes the focus of the button that it replaces. */
  readonly catchesFocus?: boolean;
  /** Called when all of it is rendered. */
  readonly onShown?: () => void;
}

interface LongTextProps extends RegionProps {
  readonly text: string;
}

/** A long text as it is, with invisible characters shown. */
export function LongText({ text, ...region }: LongTextProps): ReactNode {
  const blocks = useMemo(() => toBlocks(text), [text]);
  return (
    <Gradual {...region} blocks={blocks}>
      {(block) => <Block key={block.at} block={block} />}
    </Gradual>
  );
}

const Block = memo(function Block({ block }: { readonly block: TextBlock }): ReactNode {
  // A line feed at the end of a block is the break before the next.
  const text = block.text.endsWith("\n") ? block.text.slice(0, -1) : block.text;
  return (
    <div className={styles.block}>
      <ShownText>{text}</ShownText>
      {"\n"}
    </div>
  );
});

interface GradualProps<Item> extends RegionProps {
  readonly blocks: readonly Item[];
  readonly children: (block: Item) => ReactNode;
}

/** Blocks in a scrolling region, rendered a few at a time. */
export function Gradual<Item>({ blocks, children, ...region }: GradualProps<Item>): ReactNode {
  const element = useRef<HTMLElement>(null);
  const count = useCount(blocks.length, region.onShown);
  useFocus(element, region.catchesFocus === true);
  return (
    <section
      ref={element}
      className={blocks.length > 1 ? `${styles.region} ${styles.many}` : styles.region}
      aria-labelledby={region.labelledBy}
      aria-busy={count < blocks.length}
      {...FOCUSABLE}
    >
      {blocks.slice(0, count).map(children)}
    </section>
  );
}

/** A scrolling region can be focused by keyboard. */
const FOCUSABLE = { tabIndex: 0 };

function useFocus(element: RefObject<HTMLElement | null>, isWanted: boolean): void {
  useEffect(() => {
    if (isWanted && document.activeElement === document.body) element.current?.focus({ preventScroll: true });
  }, [element, isWanted]);
}

/** How many of them are rendered; calls back once all are. */
function useCount(total: number, onShown: (() => void) | undefined): number {
  const [count, setCount] = useState(Math.min(BATCH, total));
  const newest = useRef(onShown);
  useEffect(() => {
    newest.current = onShown;
  });
  useEffect(() => {
    if (count >= total) {
      newest.current?.();
      return;
    }
    const timer = setTimeout(() => setCount((before) => Math.min(total, before + BATCH)));
    return () => clearTimeout(timer);
  }, [count, total]);
  return Math.min(count, total);
}
