/** Denies all calls whose caller has gone, including queued ones. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ApiError, answerOf, api } from "../api/client.ts";
import { useRight } from "../api/use-right.ts";
import { useAnnounce } from "../shell/announcer.tsx";
import { useConnection } from "../shell/live-provider.tsx";
import controls from "../styles/controls.module.css";

export function DepartedButton(): ReactNode {
  const client = useQueryClient();
  const announce = useAnnounce();
  const isLost = useConnection().kind === "lost";
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => answerOf(api.POST("/v1/approvals/deny-departed", { body: { via: "console" } })),
    onSuccess: ({ denied }) =>
      announce(`${denied.length} ${denied.length === 1 ? "call" : "calls"} denied whose caller had gone.`),
    onSettled: () => client.invalidateQueries({ queryKey: ["approvals"] }),
  });
  const may = useRight("approve");
  const isHeld = isLost || isPending;
  if (!may) return null;
  return (
    <>
      <button
        type="button"
        className={controls.button}
        aria-disabled={isHeld}
        aria-busy={isPending}
        onClick={() => !isHeld && mutate()}
      >
        {isPending ? "Denying …" : "Deny all whose caller has gone"}
      </button>
      {error !== null && (
        <p role="alert">
          {error instanceof ApiError ? `${error.message} ${error.why} ${error.fix}` : error.message}
        </p>
      )}
    </>
  );
}
