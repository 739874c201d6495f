/**
 * Notifies a person who looks elsewhere of pending calls, by system notifications, if they have turned that on in
 * this browser. The text is fixed, because systems show notifications on locked screens and keep them.
 */
import { type ReactNode, useState } from "react";
import controls from "../styles/controls.module.css";

const SWITCH = "sluicegate-notify";
/** Only a page over HTTPS or from this machine may notify. */
const CAN_NOTIFY = "Notification" in window;

let shown: Notification | null = null;

/** @param waiting the number of sessions with pending approvals */
export function showNotice(
  waiting: number,
  how: { readonly silent: boolean; readonly onOpen: () => void },
): void {
  if (!isOn() || document.hasFocus()) return;
  const words =
    waiting === 1 ? "A call waits for a person." : `Calls of ${waiting} sessions wait for a person.`;
  // The same notification of several tabs is shown once.
  notify(words, { tag: `sluicegate-${waiting}`, silent: how.silent })?.addEventListener("click", () => {
    focus();
    closeNotice();
    how.onOpen();
  });
}

export function closeNotice(): void {
  shown?.close();
  shown = null;
}

const isOn = (): boolean =>
  CAN_NOTIFY && Notification.permission === "granted" && localStorage.getItem(SWITCH) === "on";

/** The notification; null if only apps may show one, as on Android. */
function notify(body: string, options: NotificationOptions): Notification | null {
  closeNotice();
  try {
    shown = new Notification("Sluicegate", { body, ...options });
  } catch {
    return null;
  }
  return shown;
}

/** Turns notifications on and off in this browser, and asks for its permission. */
export function NoticeSwitch(): ReactNode {
  const [isTold, setTold] = useState(isOn);
  const [isRefused, setRefused] = useState(false);
  if (!CAN_NOTIFY) return null;
  const turn = async (): Promise<void> => {
    localStorage.removeItem(SWITCH);
    const isGranted = !isTold && (await Notification.requestPermission()) === "granted";
    const isShown = isGranted && notify("You will be notified here when a call waits.", {}) !== null;
    if (isShown) localStorage.setItem(SWITCH, "on");
    setTold(isShown);
    setRefused(!isTold && !isShown);
  };
  return (
    <>
      <label className={controls.check}>
        <input type="checkbox" checked={isTold} onChange={() => void turn()} />
        Notify me
      </label>
      {isRefused && (
        <p role="alert">
          This browser doesn't let this page notify you. Its settings for this site may allow it.
        </p>
      )}
    </>
  );
}
