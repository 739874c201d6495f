/** To come. */
import type { ReactNode } from "react";

export function ApprovalPage(): ReactNode {
  return null;
}
