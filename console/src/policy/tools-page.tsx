/** To come. */
import type { ReactNode } from "react";

export function ToolsPage(): ReactNode {
  return null;
}
