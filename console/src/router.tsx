/** Every page and its address. Filters are in the address, so that each state can be sent to a colleague. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import type { SessionFilters } from "./api/queries.ts";
import { ApprovalPage } from "./approvals/approval-page.tsx";
import { ApprovalsPage } from "./approvals/approvals-page.tsx";
import { BASE_PATH } from "./base-path.ts";
import { Shell } from "./shell/shell.tsx";
import { NotFound, PageError } from "./shell/states.tsx";

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/approvals", replace: true });
  },
});

const approvals = createRoute({ getParentRoute: () => root, path: "/approvals", component: ApprovalsPage });

const approval = createRoute({ getParentRoute: () => root, path: "/approvals/$id", component: ApprovalPage });

const text = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined;

const flag = (value: unknown): boolean | undefined => (typeof value === "boolean" ? value : undefined);

function toFilters(search: Record<string, unknown>): SessionFilters {
  const filters = {
    principal: text(search.principal),
    role: text(search.role),
    level: text(search.level),
    refused: flag(search.refused),
    waiting: flag(search.waiting),
    closed: flag(search.closed),
  };
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
}

const sessions = createRoute({
  getParentRoute: () => root,
  path: "/sessions",
  validateSearch: toFilters,
  component: lazyRouteComponent(() => import("./sessions/sessions-page.tsx"), "SessionsPage"),
});

const session = createRoute({
  getParentRoute: () => root,
  path: "/sessions/$id",
  component: lazyRouteComponent(() => import("./sessions/session-page.tsx"), "SessionPage"),
});

const plan = createRoute({
  getParentRoute: () => root,
  path: "/sessions/$id/plan",
  validateSearch: ({ calls }: Record<string, unknown>): { readonly calls?: string } => {
    const given = text(calls);
    return given === undefined ? {} : { calls: given };
  },
  component: lazyRouteComponent(() => import("./plan/plan-page.tsx"), "PlanPage"),
});

const policy = createRoute({
  getParentRoute: () => root,
  path: "/policy",
  component: lazyRouteComponent(() => import("./policy/policy-page.tsx"), "PolicyPage"),
});

const tools = createRoute({
  getParentRoute: () => policy,
  path: "/",
  validateSearch: ({ find }: Record<string, unknown>): { readonly find?: string } => {
    const given = text(find);
    return given === undefined ? {} : { find: given };
  },
  component: lazyRouteComponent(() => import("./policy/tools-page.tsx"), "ToolsPage"),
});

const flows = createRoute({
  getParentRoute: () => policy,
  path: "/flows",
  validateSearch: ({ tool }: Record<string, unknown>): { readonly tool?: string } => {
    const given = text(tool);
    return given === undefined ? {} : { tool: given };
  },
  component: lazyRouteComponent(() => import("./policy/flows-page.tsx"), "FlowsPage"),
});

const pins = createRoute({
  getParentRoute: () => policy,
  path: "/pins",
  component: lazyRouteComponent(() => import("./policy/pins-page.tsx"), "PinsPage"),
});

const roles = createRoute({
  getParentRoute: () => policy,
  path: "/roles",
  component: lazyRouteComponent(() => import("./policy/roles-page.tsx"), "RolesPage"),
});

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    approvals,
    approval,
    sessions,
    session,
    plan,
    policy.addChildren([tools, flows, pins, roles]),
  ]),
  basepath: BASE_PATH === "" ? "/" : BASE_PATH,
  defaultPreload: "intent",
  defaultErrorComponent: PageError,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
