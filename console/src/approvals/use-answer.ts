/** Sends a person's answer, and tracks the result. Only one answer is sent at a time. */
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { ApiError, answerOf, api } from "../api/client.ts";
import { type Approval, approvalQuery, type EndedApproval, type StandingRequest } from "../api/queries.ts";
import { useAnnounce } from "../shell/announcer.tsx";
import { useConnection } from "../shell/live-provider.tsx";
import {
  type AnswerState,
  answerWords,
  IDLE,
  lateWords,
  NOT_COUNTED,
  peopleWords,
  togetherWords,
  type Verdict,
} from "./answer-state.ts";
import type { Outcome } from "./approval-queue.ts";

interface Answering {
  readonly state: AnswerState;
  readonly send: (verdict: Verdict, why: string, standing?: StandingRequest) => void;
  /** Sends the same answer for several approvals, including this one, one after the other. */
  readonly sendAll: (verdict: Verdict, ids: readonly string[]) => void;
}

export function useAnswer(id: string, onOutcome: (id: string, outcome: Outcome) => void): Answering {
  const [state, setState] = useState<AnswerState>(IDLE);
  const isBusy = useRef(false);
  const announce = useAnnounce();
  const client = useQueryClient();
  const askTruth = useCallback(
    () => client.fetchQuery({ ...approvalQuery(id), staleTime: 0, retry: false }),
    [client, id],
  );
  const become = useCallback(
    (next: AnswerState) => {
      // While the result of an answer is unknown, no other one is sent.
      isBusy.current = next.kind === "unknown";
      setState(next);
      const words = answerWords(next);
      if (words) announce(words);
    },
    [announce],
  );
  const conclude = useCallback(
    async (reply: Reply): Promise<AnswerState> => {
      if (reply.kind === "answered") onOutcome(id, reply.outcome);
      if (reply.kind !== "over") return reply.kind === "answered" ? IDLE : reply;
      const found = await askTruth().catch(() => null);
      if (found === null || !("ended_at" in found)) return reply.otherwise;
      onOutcome(id, found);
      return { kind: "late", words: lateWords(found.answered_by) };
    },
    [askTruth, id, onOutcome],
  );
  const send = useCallback(
    (verdict: Verdict, why: string, standing?: StandingRequest) => {
      if (isBusy.current) return;
      isBusy.current = true;
      setState({ kind: "sending", answer: verdict });
      void sendAnswer(id, verdict, why, standing).then(conclude).then(become);
    },
    [become, conclude, id],
  );
  const sendAll = useCallback(
    (verdict: Verdict, ids: readonly string[]) => {
      if (isBusy.current) return;
      isBusy.current = true;
      setState({ kind: "sending", answer: verdict });
      void answerEach(ids, verdict).then(async (replies) => {
        announce(
          togetherWords(
            verdict,
            ids.length,
            [...replies.values()].map(({ kind }) => kind),
          ),
        );
        const own = replies.get(id);
        become(own === undefined ? NOT_COUNTED : await conclude(own));
      });
    },
    [announce, become, conclude, id],
  );
  useTruth(state.kind === "unknown", askTruth, (found) => {
    if (found !== null) onOutcome(id, found);
    become(found === null ? NOT_COUNTED : IDLE);
  });
  return { state, send, sendAll };
}

type Reply =
  | { readonly kind: "answered"; readonly outcome: Outcome }
  /** According to a reply; `otherwise` is the state if it is still pending. */
  | { readonly kind: "over"; readonly otherwise: AnswerState }
  | Extract<AnswerState, { readonly kind: "unknown" | "refused" | "counted" }>;

/** Stops at the first unknown or refused one. */
async function answerEach(ids: readonly string[], verdict: Verdict): Promise<ReadonlyMap<string, Reply>> {
  const replies = new Map<string, Reply>();
  for (const id of ids) {
    const reply = await sendAnswer(id, verdict, "");
    replies.set(id, reply);
    if (reply.kind === "unknown" || reply.kind === "refused") break;
  }
  return replies;
}

async function sendAnswer(
  id: string,
  verdict: Verdict,
  why: string,
  standing?: StandingRequest,
): Promise<Reply> {
  const params = { path: { approval: id } };
  const body = { via: "console", ...(why.trim() && { why: why.trim() }) } as const;
  try {
    const answered = await answerOf(
      verdict === "approve"
        ? api.POST("/v1/approvals/{approval}/approve", {
            params,
            body: { ...body, ...(standing && { standing }) },
          })
        : api.POST("/v1/approvals/{approval}/deny", { params, body }),
    );
    const { answered_at: ended_at, status, answered_by, via, approvers = 1, approved_by = [] } = answered;
    if (status === "pending") return { kind: "counted", words: peopleWords(approvers, approved_by) };
    return { kind: "answered", outcome: { status, answered_by, via, ended_at, why: why.trim() || null } };
  } catch (error) {
    // A server may fail after it has recorded the answer.
    if (!(error instanceof ApiError) || error.status >= 500) return { kind: "unknown" };
    const refused = { kind: "refused", message: `${error.message} ${error.why}`, fix: error.fix } as const;
    return error.status === 409 || error.status === 404 ? { kind: "over", otherwise: refused } : refused;
  }
}

/** Requests the outcome once the gateway is reachable; null if it is still pending. */
function useTruth(
  isWanted: boolean,
  ask: () => Promise<Approval | EndedApproval>,
  onFound: (found: EndedApproval | null) => void,
): void {
  const { kind } = useConnection();
  const newest = useRef(onFound);
  const [tries, setTries] = useState(0);
  useEffect(() => {
    newest.current = onFound;
  });
  useEffect(() => {
    if (!isWanted || kind !== "live") return;
    let isWatched = true;
    const timer = setTimeout(
      () =>
        void ask().then(
          (found) => isWatched && newest.current("ended_at" in found ? found : null),
          () => isWatched && setTries((count) => count + 1),
        ),
      Math.min(5_000, 300 * tries),
    );
    return () => {
      isWatched = false;
      clearTimeout(timer);
    };
  }, [isWanted, kind, ask, tries]);
}
