/** To come. */
import type { ReactNode } from "react";

export function PlanPage(): ReactNode {
  return null;
}
