/** The title of the page's tab: the page, then the product. */
import { useEffect } from "react";

export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Sluicegate`;
  }, [title]);
}
