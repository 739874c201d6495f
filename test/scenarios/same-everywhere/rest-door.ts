/** The scenarios over REST, and what the operator reads by REST of a session behind any door of the gateway. */
import type { RunningGateway } from "../running-gateway.ts";
import {
  type Answer,
  type Door,
  type Json,
  type Player,
  readFinished,
  type SessionOptions,
  sentencesOf,
  toldBy,
  toResult,
} from "./door.ts";

/** A session that was opened by REST, with the token that may use it. */
export interface OpenedSession {
  readonly id: string;
  readonly token: string;
  readonly opened: Json;
}

export async function openSession(gate: RunningGateway, options: SessionOptions): Promise<OpenedSession> {
  const { status, body } = await gate.request("POST", "/v1/session", options);
  if (status !== 201) throw new Error(`No session was opened: ${JSON.stringify(body)}`);
  return { id: body.session_id, token: body.session_token, opened: body };
}

/** What is looked at by the operator, whichever door the agent uses. */
export function asOperator(
  gate: RunningGateway,
  id: string,
): Pick<Player, "state" | "journal" | "reset" | "say" | "answer"> {
  const path = `/v1/session/${id}`;
  const must = async (route: string, body: object): Promise<void> => {
    const { status, body: said } = await gate.request("POST", route, body);
    if (status !== 200) throw new Error(`${route}: ${status} ${JSON.stringify(said)}`);
  };
  return {
    say: (text) => must(`${path}/words`, { text }),
    answer: async ({ answer, edit, standing }) => {
      const { pending } = (await gate.request("GET", path)).body;
      const said = answer === "approved" ? "approve" : "deny";
      await must(`/v1/approvals/${pending.id}/${said}`, {
        ...(edit && { arguments: edit }),
        ...(standing && { standing }),
      });
    },
    state: async () => (await gate.request("GET", path)).body,
    journal: () => readFinished(async () => (await gate.request("GET", `${path}/journal`)).body.events),
    reset: async () => {
      const { status } = await gate.request("POST", `${path}/reset`, {});
      if (status !== 201) throw new Error(`The session was not reset: ${status}`);
    },
  };
}

export function createRestDoor(gate: RunningGateway): Door {
  return {
    name: "REST",
    open: async (options) => {
      const { id, token } = await openSession(gate, options);
      const post = async (route: string, body: unknown): Promise<Json> => {
        const headers = { authorization: `Bearer ${token}` };
        const reply = await gate.request("POST", `/v1/session/${id}/${route}`, body, headers);
        if (reply.status !== 200) throw new Error(`${route}: ${reply.status} ${JSON.stringify(reply.body)}`);
        return reply.body;
      };
      const headers = { authorization: `Bearer ${token}` };
      return {
        ...asOperator(gate, id),
        manifest: async () =>
          (await gate.request("GET", `/v1/session/${id}/manifest`, undefined, headers)).body,
        plan: (planned) => post("validate-plan", { planned_calls: planned }),
        requestPlan: (planned) => post("plan", { planned_calls: planned }),
        appeal: (text, call) => post("appeal", { call_id: call, text }),
        call: async (call) => toAnswer(await post("call", call)),
        decide: async (calls) => {
          const { decisions } = await post("decide", { calls });
          for (const { call_id, effect } of decisions) {
            if (effect === "allow") await post("report", { call_id });
          }
          return decisions.map(toAnswer);
        },
      };
    },
  };
}

function toAnswer({ result, error, ...decision }: Json): Answer {
  return {
    decision,
    effect: decision.effect,
    sentences: error ? sentencesOf(error) : toldBy(decision),
    result: result ? toResult(result) : null,
  };
}
