/** The pages' requests to the gateway. Their keys begin with those that `refresh.ts` invalidates. */
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

/** Longer texts are truncated in lists; a single approval is whole. */
const FOLD = 1_500;

const COUNT_MS = 15_000;
const TURN_MS = 5_000;

const path = <Params extends object>(params: Params) => ({ params: { path: params } });

/** Pending approvals, the first of each session, oldest first. */
export const waitingQuery = () =>
  queryOptions({
    queryKey: ["approvals", "waiting"],
    // A caller that leaves causes no event.
    refetchInterval: COUNT_MS,
    queryFn: async ({ signal }) => {
      const query = { status: "pending", via: "console", fold: FOLD } as const;
      const { approvals } = await answerOf(api.GET("/v1/approvals", { params: { query }, signal }));
      return approvals.filter((approval): approval is Approval => "arguments" in approval);
    },
  });

/** A pending approval and those similar to it, as they are now: these are answered together. */
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

/** The number of sessions with pending approvals. Counting them doesn't mark any as shown. */
export const waitingCountQuery = () =>
  queryOptions({
    queryKey: ["approvals", "count"],
    // An expiry causes no event.
    refetchInterval: COUNT_MS,
    queryFn: async ({ signal }) => {
      const query = { waiting: "true", limit: 1 } as const;
      const { total } = await answerOf(api.GET("/v1/sessions", { params: { query }, signal }));
      return total;
    },
  });

/** Ended approvals, newest first. */
export const endedQuery = () =>
  queryOptions({
    queryKey: ["approvals", "ended"],
    queryFn: async ({ signal }) => {
      const query = { status: "ended" } as const;
      const { approvals } = await answerOf(api.GET("/v1/approvals", { params: { query }, signal }));
      return approvals.filter((approval): approval is RecentApproval => "ended_at" in approval);
    },
  });

/** Appeals of the last day, newest first. */
export const appealsQuery = () =>
  queryOptions({
    queryKey: ["approvals", "appeals"],
    queryFn: async ({ signal }) => (await answerOf(api.GET("/v1/appeals", { signal }))).appeals,
  });

/** Standing approvals in force, oldest first. They expire without an event. */
export const standingQuery = () =>
  queryOptions({
    queryKey: ["approvals", "standing"],
    refetchInterval: COUNT_MS,
    queryFn: async ({ signal }) =>
      (await answerOf(api.GET("/v1/standing-approvals", { signal }))).standing_approvals,
  });

/** Freezes, oldest first. */
export const freezesQuery = () =>
  queryOptions({
    queryKey: ["freezes"],
    queryFn: async ({ signal }) => (await answerOf(api.GET("/v1/freezes", { signal }))).freezes,
  });

/** One approval, or its outcome; its texts truncated as in a list, or whole with `fold` 0. */
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

/** One approval with all of its arguments, or its outcome. */
export const approvalQuery = (approval: string) => oneQuery(approval, 0);

/**
 * One approval as in a list, or its outcome. It may become the next one without an event, if the caller of another
 * leaves.
 */
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

/** Matching sessions, the most recently changed first, in pages. */
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

/** When a session was opened, which never changes; null if its journal doesn't say. */
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

/** A session's events, newest page first; each page oldest first. */
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

/** The check of a plan on the session's present state; it authorises nothing. */
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

/** Who the token belongs to, and its rights. */
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
