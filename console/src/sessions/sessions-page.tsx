/** To come. */
import type { ReactNode } from "react";

export function SessionsPage(): ReactNode {
  return null;
}
