/** Shown instead of a page that failed; the frame stays. */
import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import { UnreachableError } from "../api/client.ts";
import { useConnection } from "./live-provider.tsx";
import { Problem } from "./states.tsx";

export function PageError({ error, reset }: ErrorComponentProps): ReactNode {
  const router = useRouter();
  const { kind } = useConnection();
  const wasLost = useRef(false);
  const retry = (): void => {
    reset();
    void router.invalidate();
  };
  useEffect(() => {
    if (kind === "lost") wasLost.current = true;
    if (kind !== "live" || !wasLost.current) return;
    // A part of the page couldn't be loaded; it can be now.
    wasLost.current = false;
    reset();
    void router.invalidate();
  }, [kind, reset, router]);
  const told = error instanceof Error ? error : new TypeError(String(error));
  return <Problem error={kind === "lost" ? new UnreachableError(error) : told} onRetry={retry} />;
}
