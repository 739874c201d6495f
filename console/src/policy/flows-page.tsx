/** To come. */
import type { ReactNode } from "react";

export function FlowsPage(): ReactNode {
  return null;
}
