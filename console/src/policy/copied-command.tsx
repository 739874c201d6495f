/** A command to run elsewhere, with a button that copies it. */
import { type ReactNode, useId, useRef, useState } from "react";
import { useAnnounce } from "../shell/announcer.tsx";
import controls from "../styles/controls.module.css";
import { VisibleText } from "../text/visible-text.tsx";
import styles from "./pins.module.css";

export function CopiedCommand({ command }: { readonly command: string }): ReactNode {
  const id = useId();
  const text = useRef<HTMLElement>(null);
  const [word, setWord] = useState("Copy");
  const announce = useAnnounce();
  const copy = async (): Promise<void> => {
    const isCopied = await navigator.clipboard?.writeText(command).then(
      () => true,
      () => false,
    );
    if (!isCopied && text.current) getSelection()?.selectAllChildren(text.current);
    setWord(isCopied ? "Copied" : "Selected");
    announce(isCopied ? "The command is copied." : "The command is selected; copy it by key.");
  };
  return (
    <p className={styles.command}>
      <code ref={text} id={id}>
        <VisibleText>{command}</VisibleText>
      </code>
      <button
        type="button"
        className={controls.button}
        aria-describedby={id}
        onClick={() => void copy()}
        onBlur={() => setWord("Copy")}
      >
        {word}
      </button>
    </p>
  );
}
