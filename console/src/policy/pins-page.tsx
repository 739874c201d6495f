/** To come. */
import type { ReactNode } from "react";

export function PinsPage(): ReactNode {
  return null;
}
