/** The title of the tab: the number of waiting sessions, the page, the product. */
import { useEffect } from "react";

let page = "";
let waiting = 0;

export function usePageTitle(title: string): void {
  useEffect(() => {
    page = title;
    write();
  }, [title]);
}

/** @param count the number of sessions with pending approvals */
export function useCountInTitle(count: number): void {
  useEffect(() => {
    waiting = count;
    write();
    return () => {
      waiting = 0;
      write();
    };
  }, [count]);
}

function write(): void {
  document.title = `${waiting > 0 ? `(${waiting}) ` : ""}${page} · Sluicegate`;
}
