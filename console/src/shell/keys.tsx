/**
 * Single-character keys of a page and of all pages. They can be switched off (WCAG 2.1.4), because speech input would
 * trigger them.
 */
import {
  createContext,
  Fragment,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import controls from "../styles/controls.module.css";
import styles from "./key-help.module.css";

interface KeyBinding {
  /** One key, or two in sequence: `a`, `g a`. */
  readonly keys: string;
  /** Its action, for the list of keys. */
  readonly does: string;
  readonly run: () => void;
}

const SWITCH = "sluicegate-keys";
/** How long the second of two keys may take. */
const SEQUENCE_MS = 1_500;

/** Keys that belong together. */
interface KeyGroup {
  readonly title: string;
  readonly bindings: readonly KeyBinding[];
}

class Keyboard {
  readonly #groups = new Map<symbol, KeyGroup>();
  readonly #listeners = new Set<() => void>();
  #first: { readonly key: string; readonly at: number } | null = null;
  #isOn = localStorage.getItem(SWITCH) !== "off";
  #list: readonly KeyGroup[] = [];

  readonly watch = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly isOn = (): boolean => this.#isOn;

  readonly list = (): readonly KeyGroup[] => this.#list;

  turn(isOn: boolean): void {
    this.#isOn = isOn;
    localStorage.setItem(SWITCH, isOn ? "on" : "off");
    this.#tell();
  }

  /** Binds keys until the returned function is called. Of several bindings of a key, the last one counts. */
  bind(title: string, bindings: readonly KeyBinding[]): () => void {
    const group = Symbol(title);
    this.#groups.set(group, { title, bindings });
    this.#tell();
    return () => {
      this.#groups.delete(group);
      this.#tell();
    };
  }

  readonly press = (event: KeyboardEvent): void => {
    if (!this.#isOn || event.repeat || event.defaultPrevented || isTaken(event)) return;
    const sequence = this.#sequence(event.key);
    const binding = this.#find(sequence) ?? this.#find(event.key);
    if (binding === undefined) return;
    event.preventDefault();
    this.#first = null;
    binding.run();
  };

  #sequence(key: string): string {
    const before = this.#first;
    this.#first = { key, at: Date.now() };
    return before !== null && Date.now() - before.at < SEQUENCE_MS ? `${before.key} ${key}` : key;
  }

  #find(keys: string): KeyBinding | undefined {
    return [...this.#groups.values()]
      .flatMap(({ bindings }) => bindings)
      .findLast((binding) => binding.keys === keys);
  }

  #tell(): void {
    this.#list = [...this.#groups.values()];
    for (const listener of this.#listeners) listener();
  }
}

/** Whether a key press belongs to something else: a text field, a dialog, the browser. */
function isTaken({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey) return true;
  if (document.querySelector("dialog[open]") !== null) return true;
  return target instanceof Element && target.closest("input:not([type=checkbox]), textarea, select") !== null;
}

const KeyboardContext = createContext<Keyboard | null>(null);

export function KeyboardProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const keyboard = useMemo(() => new Keyboard(), []);
  useEffect(() => {
    addEventListener("keydown", keyboard.press);
    return () => removeEventListener("keydown", keyboard.press);
  }, [keyboard]);
  return <KeyboardContext value={keyboard}>{children}</KeyboardContext>;
}

function useKeyboard(): Keyboard {
  const keyboard = useContext(KeyboardContext);
  if (keyboard === null) throw new TypeError("Keys are bound inside a KeyboardProvider.");
  return keyboard;
}

/** Binds a page's keys while it is shown, always with the newest `bindings`. */
export function useKeys(title: string, bindings: readonly KeyBinding[]): void {
  const keyboard = useKeyboard();
  const newest = useRef(bindings);
  useEffect(() => {
    newest.current = bindings;
  });
  const names = bindings.map(({ keys, does }) => `${keys}\t${does}`).join("\n");
  useEffect(() => {
    const bound = names.split("\n").map((line, at) => {
      const [keys = "", does = ""] = line.split("\t");
      return { keys, does, run: () => newest.current[at]?.run() };
    });
    return keyboard.bind(title, bound);
  }, [keyboard, title, names]);
}

/** Whether single keys are on, and how to switch them. */
function useKeySwitch(): readonly [boolean, (isOn: boolean) => void] {
  const keyboard = useKeyboard();
  const isOn = useSyncExternalStore(keyboard.watch, keyboard.isOn);
  const [turn] = useState(() => (next: boolean) => keyboard.turn(next));
  return [isOn, turn];
}

interface KeyHelpProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** The list of keys, and the switch that turns them off. */
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
