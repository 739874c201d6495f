/** To come. */
import type { ReactNode } from "react";

export function PolicyPage(): ReactNode {
  return null;
}
