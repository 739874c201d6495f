/** Every check, in the order in which it runs; what changes the servers behind comes last. */
import type { Check } from "../check.ts";
import { API_CHECKS } from "./apis.ts";
import { APPROVAL_CHECKS } from "./approvals.ts";
import { BODY_CHECKS } from "./bodies.ts";
import { CODING_AGENT_CHECKS } from "./coding-agent.ts";
import { DATABASE_CHECKS } from "./databases.ts";
import { FLOOD_CHECKS } from "./floods.ts";
import { HEADER_CHECKS } from "./headers.ts";
import { HIDDEN_CHECKS } from "./hidden.ts";
import { HOSTILE_SERVER_CHECKS } from "./hostile-server.ts";
import { LOAD_CHECKS } from "./loads.ts";
import { METHOD_CHECKS } from "./methods.ts";
import { NOTICE_CHECKS } from "./notices.ts";
import { PARALLEL_CHECKS } from "./parallel.ts";
import { SESSION_CHECKS } from "./sessions.ts";
import { SILENCE_CHECKS } from "./silence.ts";
import { STATE_CHECKS } from "./states.ts";
import { SWITCHED_CHECKS } from "./switched.ts";
import { TOLD_CHECKS } from "./told.ts";
import { WAYS_IN_CHECKS } from "./ways-in.ts";
import { WAYS_OUT_CHECKS } from "./ways-out.ts";

export const ALL_CHECKS: readonly Check[] = Object.freeze([
  ...WAYS_IN_CHECKS,
  ...WAYS_OUT_CHECKS,
  ...SWITCHED_CHECKS,
  ...HIDDEN_CHECKS,
  ...TOLD_CHECKS,
  ...SESSION_CHECKS,
  ...HEADER_CHECKS,
  ...BODY_CHECKS,
  ...PARALLEL_CHECKS,
  ...NOTICE_CHECKS,
  ...STATE_CHECKS,
  ...APPROVAL_CHECKS,
  ...FLOOD_CHECKS,
  ...LOAD_CHECKS,
  ...SILENCE_CHECKS,
  ...METHOD_CHECKS,
  ...DATABASE_CHECKS,
  ...API_CHECKS,
  ...CODING_AGENT_CHECKS,
  ...HOSTILE_SERVER_CHECKS,
]);
