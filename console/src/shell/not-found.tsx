/** For an address without a page. */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Empty } from "./states.tsx";

export function NotFound(): ReactNode {
  return (
    <Empty title="There is no such page">
      The address may be cut or out of date. <Link to="/approvals">Go to the approvals.</Link>
    </Empty>
  );
}
