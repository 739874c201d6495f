/** To come. */
import type { ReactNode } from "react";

export function ApprovalsPage(): ReactNode {
  return null;
}
