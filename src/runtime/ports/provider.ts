/** The port of everything that offers tools: an upstream MCP server, a database, an API, the workspace. */

import type { AskCause, Label } from "../../core/index.ts";
import type { JsonObject } from "../../json/json-object.ts";
import type { TurnOwner } from "../../threads/index.ts";

export type { JsonObject };

/** A tool's result, in MCP's shape: content blocks, structured content, or an error. Plain JSON. */
export interface ToolResult {
  readonly content: readonly JsonObject[];
  readonly structuredContent?: JsonObject;
  readonly isError?: boolean;
  /** The provider's metadata: under `ifc` its label of the result, which can only raise. */
  readonly _meta?: JsonObject;
}

/** A tool as its provider describes it. The description is shown, but not trusted. */
export interface OfferedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: JsonObject;
  /** The definition as received, with unknown fields; left out if it has no more than this object. */
  readonly raw?: JsonObject;
}

/** A notice or a question from a server: an MCP method and its parameters. */
export interface ServerMessage {
  readonly method: string;
  readonly params: JsonObject;
}

/** Severities of RFC 5424, as MCP names them, lowest first. */
export const LOG_LEVELS = Object.freeze([
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const);

export type LogLevel = (typeof LOG_LEVELS)[number];

/** Something that a call touches, as it was found just before the decision. */
export interface Target {
  /** Canonical and absolute. */
  readonly path: string;
  /** SHA-256 (hex) of the present content, or null if there is none; set if the call replaces it. */
  readonly content?: string | null;
}

/** What a provider found out about one call before the decision. */
export interface Examination {
  /** Why a person must approve; empty if the provider requires no approval. */
  readonly asks: readonly AskCause[];
  /** What an approval is bound to. */
  readonly targets: readonly Target[];
  /** Whether it would touch something that no agent may touch, even with an approval. */
  readonly isProtected?: true;
  /** The source of this call, if that is known before it runs; otherwise the tool's declared one counts. */
  readonly source?: Label;
  /**
   * The label of what the examination itself reveals, such as that a column exists; left out, nothing. If the
   * session's label doesn't cover it, a plan doesn't use the examination.
   */
  readonly told?: Label;
  /** For the approver: the change, as a unified diff. */
  readonly preview?: string;
  /** The provider's own data, passed back to it unchanged. */
  readonly checked?: unknown;
}

/** One exchange with a server: a call, and the messages while it runs. */
export interface ExchangeOptions {
  readonly signal?: AbortSignal;
  /** The session that it belongs to. */
  readonly session?: string;
  /** The session's principal. */
  readonly principal?: string;
  /** The session that holds the label. Limits count by it, so that forks gain nothing. */
  readonly labelHolder?: string;
  /** What was found out about the call, on which it was decided. */
  readonly examined?: Examination;
  /** Called just before the call is sent; throws if it must not be sent any more. */
  readonly assertCurrent?: () => void;
  /** Gets the server's messages about this exchange only: `notifications/progress`, `notifications/message`. */
  readonly onNotice?: (notice: ServerMessage) => void;
  /** Whether the server should report progress. */
  readonly progress?: boolean;
  /** The least severity of log messages; left out, none are wanted. */
  readonly logLevel?: LogLevel;
  /** What the client can answer, in MCP's shape; left out, nothing. */
  readonly capabilities?: JsonObject;
  /**
   * Answers the server's questions about this exchange: `elicitation/create`, `sampling/createMessage`, `roots/list`,
   * each under a key of its own. Rejects if one can't be answered; left out, none can.
   */
  readonly ask?: (questions: Readonly<Record<string, ServerMessage>>) => Promise<Record<string, JsonObject>>;
  /**
   * Whether questions of these methods may be answered at all, even by an error. Called just before anything is sent;
   * if false, nothing is sent. Never rejects; left out, they may.
   */
  readonly mayAnswer?: (methods: readonly string[]) => Promise<boolean>;
}

/** What a server offers besides tools, as of its last answer. It is shown, but not trusted. */
export interface ServerOffer {
  /** By URI. */
  readonly resources: ReadonlyMap<string, JsonObject>;
  /** By URI template (RFC 6570). */
  readonly templates: ReadonlyMap<string, JsonObject>;
  /** By name. */
  readonly prompts: ReadonlyMap<string, JsonObject>;
  /** Which kinds of offers it has, and its other capabilities. */
  readonly can: {
    readonly resources: boolean;
    readonly prompts: boolean;
    readonly completions: boolean;
    readonly subscribe: boolean;
  };
}

/** The requests that serve what a server offers besides tools. */
export type OfferMethod = "resources/read" | "prompts/get" | "completion/complete";

/** The subscriber of a resource. */
export interface Subscriber {
  /** The session that holds its label. Limits count by it; left out, the subscriber counts separately. */
  readonly labelHolder?: string;
  /**
   * Whether the subscription may continue; called periodically, at times that nobody can influence. Never rejects;
   * left out, it may.
   */
  readonly mayRenew?: () => Promise<boolean>;
}

/** Resources, prompts and what else a server has besides tools. */
export interface OfferProvider {
  readonly current: ServerOffer;
  /** Requests the lists again. Never rejects: if they are unavailable, the last ones stay. */
  refresh(): Promise<void>;
  /**
   * Sends a request with exactly these parameters, and returns the result as received.
   * @throws SluicegateError as `run` does, and `upstream-refused` with the server's own error.
   */
  request(method: OfferMethod, params: JsonObject, options: ExchangeOptions): Promise<JsonObject>;
  /**
   * Calls the listener when a resource changes, also after a reconnection. Returns a function that ends the
   * subscription.
   * @throws SluicegateError as `request` does, and `limit-reached` for too many.
   */
  subscribe(uri: string, listener: () => void, subscriber?: Subscriber): Promise<() => void>;
}

export interface SignInNeeded {
  /** The page for signing in; null if there is none. */
  readonly link: string | null;
}

/** Whether a provider can be called: `starting` until it first answers, `down` between two attempts. */
export type ProviderStatus = "starting" | "ready" | "down" | "closed";

export interface ToolProvider {
  /** The server's id in the policy. */
  readonly id: string;
  /** Its definitions are part of this program, so they aren't pinned. */
  readonly isOwn?: true;
  readonly status: ProviderStatus;
  /** Why it isn't ready, for operators; null if it is. */
  readonly problem: string | null;
  /**
   * Where a principal must sign in before it can call; null if it needn't. Left out: nobody must. Rejecting is a
   * fault, which denies the call.
   */
  signInNeeded?(principal: string): Promise<SignInNeeded | null>;
  /** Its tools, as of its last answer. */
  readonly tools: ReadonlyMap<string, OfferedTool>;
  /** Resolves when it has answered for the first time, or failed to. Never rejects. */
  readonly settled: Promise<void>;
  /**
   * Examines a call just before each decision, without side effects. Rejecting is a fault, which denies the call.
   * Left out: there is nothing to examine.
   * @param owner who calls: principals take turns if calls have to wait, and the label holders of each
   */
  examine?(tool: string, args: JsonObject, signal?: AbortSignal, owner?: TurnOwner): Promise<Examination>;
  /**
   * Runs a tool by its own name with exactly these arguments, on exactly what was examined.
   * @throws SluicegateError `upstream-unavailable`, `upstream-failed`, `upstream-timeout`, `result-too-large`.
   */
  run(tool: string, args: JsonObject, options: ExchangeOptions): Promise<ToolResult>;
  /** What it offers besides tools; left out if it never has any. */
  readonly offers?: OfferProvider;
  /** Calls the listener when the status, the tools or the offer has changed. Returns a function that ends this. */
  watch(listener: () => void): () => void;
  close(): Promise<void>;
}
