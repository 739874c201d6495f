/** The title of the page's tab: how many wait, the page, then the product. */
import { useEffect } from "react";

let page = "";
let waiting = 0;

export function usePageTitle(title: string): void {
  useEffect(() => {
    page = title;
    write();
  }, [title]);
}

/** @param count in how many sessions a call waits */
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
