/** What the pages ask the gateway for. Keys begin with what `refresh.ts` puts out of date. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answerOf, api, type Schema } from "./client.ts";

export type Approval = Schema<"Approval">;
export type RecentApproval = Schema<"RecentApproval">;
export type Appeal = Schema<"Appeals">["appeals"][number];
export type StandingApproval = Schema<"StandingApproval">;
export type Freeze = Schema<"Freeze">;
export type StandingOffer = Schema<"StandingOffer">;
export type StandingRequest = Partial<StandingOffer["standing"]>;
export type EndedApproval = Schema<"EndedApproval">;

/** Texts longer than this are cut in lists; the approval by itself has the whole. */
const FOLD = 1_500;

const COUNT_MS = 15_000;
const TURN_MS = 5_000;

const path = <Params extends object>(params: Params) => ({ params: { path: params } });

/** What waits for a person, the first of each session, oldest first. */
export const waitingQuery = () =>
  queryOptions({
    queryKey: ["approvals", "waiting"],
    // A caller leaves without an event.
    refetchInterval: COUNT_MS,
    queryFn: async ({ signal }) => {
      const query = { status: "pending", via: "console", fold: FOLD } as const;
      const { approvals } = await answerOf(api.GET("/v1/approvals", { params: { query }, signal }));
      return approvals.filter((approval): approval is Approval => "arguments" in approval);
    },
  });

/** One that waits and those that are like it, as they are now: whoever answers them together answers these. */
export const alikeQuery = (approval: string) =>
  queryOptions({
    queryKey: ["alike", approval],
    staleTime: "static",
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const query = { like: approval, via: "console", fold: FOLD } as const;
      const { approvals } = await answerOf(api.GET("/v1/approvals", { params: { query }, signal }));
      return approvals.filter((one): one is Approval => "arguments" in one);
    },
  });

/** In how many sessions a call waits for a person: what counts them shows none of them to anybody. */
export const waitingCountQuery = () =>
  queryOptions({
    queryKey: ["approvals", "count"],
    // What expires does so without an event, unless somebody looks at the queue.
    refetchInterval: COUNT_MS,
    queryFn: async ({ signal }) => {
      const query = { waiting: "true", limit: 1 } as const;
      const { total } = await answerOf(api.GET("/v1/sessions", { params: { query }, signal }));
      return total;
    },
  });

/** Approvals that are over, newest first. */
export const endedQuery = () =>
  queryOptions({
    queryKey: ["approvals", "ended"],
    queryFn: async ({ signal }) => {
      const query = { status: "ended" } as const;
      const { approvals } = await answerOf(api.GET("/v1/approvals", { params: { query }, signal }));
      return approvals.filter((approval): approval is RecentApproval => "ended_at" in approval);
    },
  });

/** What agents said on refused calls in the last day, newest first. */
export const appealsQuery = () =>
  queryOptions({
    queryKey: ["approvals", "appeals"],
    queryFn: async ({ signal }) => (await answerOf(api.GET("/v1/appeals", { signal }))).appeals,
  });

/** Standing approvals that are in force, oldest first. They expire without an event. */
export const standingQuery = () =>
  queryOptions({
    queryKey: ["approvals", "standing"],
    refetchInterval: COUNT_MS,
    queryFn: async ({ signal }) =>
      (await answerOf(api.GET("/v1/standing-approvals", { signal }))).standing_approvals,
  });

/** What is frozen, oldest first. */
export const freezesQuery = () =>
  queryOptions({
    queryKey: ["freezes"],
    queryFn: async ({ signal }) => (await answerOf(api.GET("/v1/freezes", { signal }))).freezes,
  });

/** One approval, or how it ended; its texts cut as in a list, or whole with `fold` 0. */
const oneQuery = (approval: string, fold: number) =>
  queryOptions({
    queryKey: ["approvals", "one", approval, fold],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET("/v1/approvals/{approval}", {
          params: { path: { approval }, query: { via: "console", fold } },
          signal,
        }),
      ),
  });

/** One approval with all of its arguments, or how it ended. */
export const approvalQuery = (approval: string) => oneQuery(approval, 0);

/** One approval as a list has it, or how it ended. Its turn may come without an event: the caller of another one leaves. */
export const foldedApprovalQuery = (approval: string) =>
  queryOptions({
    ...oneQuery(approval, FOLD),
    refetchInterval: ({ state: { data } }) => (data?.status === "queued" ? TURN_MS : false),
  });

export interface SessionFilters {
  readonly principal?: string;
  readonly role?: string;
  readonly level?: string;
  readonly refused?: boolean;
  readonly waiting?: boolean;
  readonly closed?: boolean;
}

const flag = (value: boolean): "true" | "false" => (value ? "true" : "false");

/** Sessions that fit, the one in which something happened last first, a page at a time. */
export const sessionsQuery = (filters: SessionFilters) =>
  infiniteQueryOptions({
    queryKey: ["sessions", filters],
    initialPageParam: null as string | null,
    placeholderData: keepPreviousData,
    queryFn: ({ signal, pageParam }) => {
      const { principal, role, level, refused, waiting, closed } = filters;
      const given = {
        ...(principal && { principal }),
        ...(role && { role }),
        ...(level && { level }),
        ...(refused !== undefined && { refused: flag(refused) }),
        ...(waiting !== undefined && { waiting: flag(waiting) }),
        ...(closed !== undefined && { closed: flag(closed) }),
        ...(pageParam !== null && { after: pageParam }),
      };
      return answerOf(api.GET("/v1/sessions", { params: { query: given }, signal }));
    },
    getNextPageParam: ({ next }) => next,
  });

export const sessionQuery = (id: string) =>
  queryOptions({
    queryKey: ["session", id, "state"],
    queryFn: ({ signal }) => answerOf(api.GET("/v1/session/{id}", { ...path({ id }), signal })),
  });

/** When a session was opened, which doesn't change; null where its journal says nothing. */
export const openedQuery = (id: string) =>
  queryOptions({
    queryKey: ["opened", id],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: { after: 0, limit: 1 } };
      const { events } = await answerOf(api.GET("/v1/session/{id}/journal", { params, signal }));
      return events[0]?.at ?? null;
    },
  });

export const sessionToolsQuery = (id: string) =>
  queryOptions({
    queryKey: ["session", id, "tools"],
    queryFn: ({ signal }) => answerOf(api.GET("/v1/session/{id}/tools", { ...path({ id }), signal })),
  });

/** What happened in a session, newest page first; each page oldest first. */
export const timelineQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ["session", id, "timeline"],
    initialPageParam: null as number | null,
    placeholderData: keepPreviousData,
    queryFn: ({ signal, pageParam }) => {
      const query = pageParam === null ? {} : { before: pageParam };
      return answerOf(api.GET("/v1/session/{id}/timeline", { params: { path: { id }, query }, signal }));
    },
    getNextPageParam: ({ earlier }) => earlier,
  });

/** The check of a plan from the session's present state; it authorises nothing. */
export const planQuery = (id: string, calls: readonly string[]) =>
  queryOptions({
    queryKey: ["session", id, "plan", calls],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      answerOf(
        api.POST("/v1/session/{id}/validate-plan", {
          ...path({ id }),
          body: { planned_calls: [...calls] },
          signal,
        }),
      ),
  });

/** Whom the token stands for, and what they may do. */
export const identityQuery = () =>
  queryOptions({
    queryKey: ["identity"],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => answerOf(api.GET("/v1/identity", { signal })),
  });

export const policyQuery = () =>
  queryOptions({
    queryKey: ["policy", "itself"],
    queryFn: ({ signal }) => answerOf(api.GET("/v1/policy", { signal })),
  });

export const flowsQuery = () =>
  queryOptions({
    queryKey: ["policy", "flows"],
    queryFn: ({ signal }) => answerOf(api.GET("/v1/policy/flows", { signal })),
  });

/** Whether each tool's definition is the accepted one. */
export const pinsQuery = () =>
  queryOptions({
    queryKey: ["tools"],
    queryFn: ({ signal }) => answerOf(api.GET("/v1/tools", { signal })),
  });
