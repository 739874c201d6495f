/** What is frozen, on every page, and the buttons that freeze and unfreeze. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ApiError, answerOf, api } from "../api/client.ts";
import { type Freeze, freezesQuery } from "../api/queries.ts";
import { useRight } from "../api/use-right.ts";
import controls from "../styles/controls.module.css";
import { Time } from "../text/time.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import { useAnnounce } from "./announcer.tsx";
import { useConnection } from "./live-provider.tsx";
import styles from "./shell.module.css";

/** Shown on every page, so that people see why nothing runs. */
export function FreezeBanner(): ReactNode {
  const { data: freezes = [] } = useQuery(freezesQuery());
  return freezes.map((freeze) => <FrozenBanner key={freeze.id} freeze={freeze} />);
}

function FrozenBanner({ freeze }: { readonly freeze: Freeze }): ReactNode {
  const { id, by, at, why } = freeze;
  const may = useRight("administer");
  const unfreeze = useFreezing(
    () => answerOf(api.DELETE("/v1/freeze/{freeze}", { params: { path: { freeze: id } } })),
    "Unfrozen.",
  );
  return (
    <div className={styles.banner}>
      <p>
        <strong>Frozen:</strong> <Target freeze={freeze} />, by <VisibleText>{by}</VisibleText>{" "}
        <Time at={at} />
        {why !== null && (
          <>
            {": "}
            <q>
              <VisibleText>{why}</VisibleText>
            </q>
          </>
        )}
        {unfreeze.error !== null && <span role="alert"> {unfreeze.error}</span>}
      </p>
      {may && (
        <button
          type="button"
          className={controls.button}
          aria-disabled={unfreeze.isHeld}
          aria-busy={unfreeze.isBusy}
          onClick={unfreeze.run}
        >
          {unfreeze.isBusy ? "Unfreezing …" : "Unfreeze"}
        </button>
      )}
    </div>
  );
}

function Target({ freeze }: { readonly freeze: Freeze }): ReactNode {
  const kind = (["principal", "session", "server", "tool"] as const).find((name) => freeze[name] !== null);
  if (kind === undefined) return "all calls of all sessions";
  return (
    <>
      all calls of the {kind} <VisibleText>{freeze[kind] ?? ""}</VisibleText>
    </>
  );
}

interface FreezeButtonProps {
  /** Left out: everything. */
  readonly target?: { readonly session: string } | { readonly server: string };
  /** As in "Stop all calls of …". */
  readonly what: ReactNode;
}

/** Stops calls at once, after a second click that says what it stops. */
export function FreezeButton({ target, what }: FreezeButtonProps): ReactNode {
  const [isAsking, setAsking] = useState(false);
  const may = useRight("administer");
  const freeze = useFreezing(async () => {
    await answerOf(api.POST("/v1/freeze", { body: target ?? {} }));
    setAsking(false);
  }, "Frozen.");
  if (!may) return null;
  if (!isAsking)
    return (
      <button type="button" className={controls.button} onClick={() => setAsking(true)}>
        Freeze<span className={controls.hidden}> {what}</span> …
      </button>
    );
  return (
    <span>
      Stop all calls of {what}?{" "}
      <button
        type="button"
        className={controls.button}
        aria-disabled={freeze.isHeld}
        aria-busy={freeze.isBusy}
        onClick={freeze.run}
      >
        Stop them
      </button>{" "}
      <button type="button" className={controls.quiet} onClick={() => setAsking(false)}>
        Cancel
      </button>
      {freeze.error !== null && <span role="alert"> {freeze.error}</span>}
    </span>
  );
}

interface Freezing {
  readonly run: () => void;
  readonly isBusy: boolean;
  readonly isHeld: boolean;
  readonly error: string | null;
}

function useFreezing(send: () => Promise<unknown>, done: string): Freezing {
  const client = useQueryClient();
  const announce = useAnnounce();
  const isLost = useConnection().kind === "lost";
  const { mutate, isPending, error } = useMutation({
    mutationFn: send,
    onSuccess: () => announce(done),
    onSettled: () => client.invalidateQueries({ queryKey: freezesQuery().queryKey }),
  });
  const isHeld = isLost || isPending;
  const words = error instanceof ApiError ? `${error.message} ${error.why} ${error.fix}` : error?.message;
  return { run: () => void (isHeld || mutate()), isBusy: isPending, isHeld, error: words ?? null };
}
