/** To come. */
import type { ReactNode } from "react";

export function RolesPage(): ReactNode {
  return null;
}
