/** To come. */
import type { ReactNode } from "react";

export function SessionPage(): ReactNode {
  return null;
}
