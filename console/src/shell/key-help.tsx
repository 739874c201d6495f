/** The list of keys, and the switch that turns them off. */
import { Fragment, type ReactNode, useEffect, useRef, useSyncExternalStore } from "react";
import controls from "../styles/controls.module.css";
import styles from "./key-help.module.css";
import { useKeyboard, useKeySwitch } from "./keys.tsx";

export interface KeyHelpProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function KeyHelp({ isOpen, onClose }: KeyHelpProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const keyboard = useKeyboard();
  const groups = useSyncExternalStore(keyboard.watch, keyboard.list);
  const [isOn, turn] = useKeySwitch();
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  return (
    <dialog ref={dialog} className={styles.dialog} aria-labelledby="keys-title" onClose={onClose}>
      <h2 id="keys-title">Keyboard shortcuts</h2>
      {groups.map(({ title, bindings }) => (
        <section key={title} className={styles.group}>
          <h3>{title}</h3>
          <dl>
            {bindings.map(({ keys, does }) => (
              <Fragment key={keys}>
                <dt>
                  {keys.split(" ").map((key) => (
                    <kbd key={key} className={controls.kbd}>
                      {key}
                    </kbd>
                  ))}
                </dt>
                <dd>{does}</dd>
              </Fragment>
            ))}
          </dl>
        </section>
      ))}
      <label className={controls.check}>
        <input type="checkbox" checked={isOn} onChange={(event) => turn(event.target.checked)} />
        Single keys are on
      </label>
      <button type="button" className={controls.button} onClick={onClose}>
        Close
      </button>
    </dialog>
  );
}
