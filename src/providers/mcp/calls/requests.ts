/**
 * Requests to a server on behalf of sessions: what each says about its client, and rounds of questions before the
 * result.
 */
import type { Client } from "@modelcontextprotocol/client";
import { ANY_OBJECT, isJsonObject, type JsonObject } from "../../../json/json-object.ts";
import {
  type ExchangeOptions,
  LOG_LEVELS,
  type LogLevel,
  type ServerMessage,
} from "../../../runtime/index.ts";
import type { UpstreamLimits } from "../limits.ts";
import type { Log } from "../transport/rate-limited-log.ts";
import { currentExchange, progressTokenOf, toQuestion } from "./exchange.ts";
import type { Schedule } from "./schedule.ts";

export interface RequestOptions {
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
  readonly exchange?: ExchangeOptions;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RequestsOptions {
  readonly limits: UpstreamLimits;
  readonly log: Log;
  readonly schedule: Schedule;
}

const CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities";
const LOG_LEVEL_KEY = "io.modelcontextprotocol/logLevel";
/** How often a server may ask questions before its result. */
const MAX_ROUNDS = 10;
/** The pause before a request is sent again without a question. */
const ROUND_PAUSE_MS = 250;

export class Requests {
  readonly #client: Client;
  readonly #limits: UpstreamLimits;
  readonly #log: Log;
  readonly #schedule: Schedule;
  #logLevel: LogLevel | null = null;

  constructor(client: Client, { limits, log, schedule }: RequestsOptions) {
    this.#client = client;
    this.#limits = limits;
    this.#log = log;
    this.#schedule = schedule;
  }

  /** Sends a request, and answers the server's questions until it returns a result. Rejects with the SDK's error. */
  async exchange(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const { exchange = {} } = options;
    await this.#hearMessages(exchange.logLevel);
    const _meta = this.#metaFor(exchange);
    const whole = Object.keys(_meta).length > 0 ? { ...params, _meta } : params;
    return currentExchange.run(exchange, async () => {
      let result = await this.send(method, whole, options);
      for (let round = 0; round < MAX_ROUNDS && isInputRequired(result); round += 1) {
        const continuation = await this.#continue(result, exchange);
        if (continuation === null) break;
        result = await this.send(method, { ...whole, ...continuation }, options);
      }
      return result;
    });
  }

  /**
   * The parameters for sending a request again; null if the server asks something that can't be passed on. THREAT: if
   * a server requests another round without a question, no client is involved, because whether and when it continued
   * would tell the server something that no gate has decided on.
   */
  async #continue({ inputRequests, requestState }: JsonObject, { ask }: ExchangeOptions) {
    const state = typeof requestState === "string" ? { requestState } : {};
    if (isJsonObject(inputRequests) && Object.keys(inputRequests).length > 0) {
      const questions = toQuestions(inputRequests);
      if (!ask || Object.keys(questions).length === 0) return null;
      return { inputResponses: await ask(questions), ...state };
    }
    await new Promise<void>((resolve) => this.#schedule(resolve, ROUND_PAUSE_MS));
    return state;
  }

  /** Sends a request unchanged. Rejects with the SDK's error. */
  send(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const { timeout, signal, headers } = options;
    return this.#client.request({ method, params }, ANY_OBJECT, {
      timeout,
      allowInputRequired: true,
      ...(signal && { signal }),
      ...(headers && { headers }),
    });
  }

  /** What a request says about its client: what it can answer and which messages it wants, never who it is. */
  #metaFor(exchange: ExchangeOptions): JsonObject {
    const isModern = this.#client.getProtocolEra() === "modern";
    return {
      ...(exchange.progress && { progressToken: progressTokenOf(exchange) }),
      ...(isModern && { [CAPABILITIES_KEY]: exchange.ask ? answerable(exchange.capabilities) : {} }),
      ...(isModern && exchange.logLevel && { [LOG_LEVEL_KEY]: exchange.logLevel }),
    };
  }

  /** An older server has one log level for all clients, so it gets the lowest that any of them wants. */
  async #hearMessages(level: LogLevel | undefined): Promise<void> {
    if (level === undefined || this.#client.getProtocolEra() === "modern") return;
    if (!this.#client.getServerCapabilities()?.logging) return;
    if (this.#logLevel !== null && LOG_LEVELS.indexOf(this.#logLevel) <= LOG_LEVELS.indexOf(level)) return;
    this.#logLevel = level;
    try {
      await this.send("logging/setLevel", { level }, { timeout: this.#limits.probeMs });
    } catch {
      this.#log("would not change the level of its messages");
    }
  }
}

/** THREAT: a client can claim anything; only which kinds of questions it can answer is passed on. */
function answerable(capabilities: JsonObject = {}): JsonObject {
  const { elicitation, sampling, roots } = capabilities;
  const modes = isJsonObject(elicitation) ? elicitation : {};
  return {
    ...(isJsonObject(elicitation) && {
      elicitation: {
        ...(!("url" in modes) || "form" in modes ? { form: {} } : {}),
        ...("url" in modes && { url: {} }),
      },
    }),
    ...(isJsonObject(sampling) && { sampling: "tools" in sampling ? { tools: {} } : {} }),
    ...(isJsonObject(roots) && { roots: {} }),
  };
}

const isInputRequired = (result: JsonObject): boolean => result.resultType === "input_required";

/** The questions of an unfinished result, without those that may not be passed on. */
function toQuestions(inputRequests: JsonObject): Record<string, ServerMessage> {
  const questions: [string, ServerMessage][] = [];
  for (const [key, value] of Object.entries(inputRequests)) {
    const question = toQuestion(value);
    if (question !== null) questions.push([key, question]);
  }
  return Object.fromEntries(questions.slice(0, MAX_QUESTIONS));
}

const MAX_QUESTIONS = 16;
