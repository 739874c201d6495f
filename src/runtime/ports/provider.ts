/**
 * The port of whatever offers tools: an upstream MCP server, a database, an API, the workspace. The gate knows no
 * other difference between them.
 */

import type { AskCause, Label } from "../../core/index.ts";
import type { JsonObject } from "../../json/json-object.ts";

export type { JsonObject };

/** What a tool gives back, in MCP's shape: content blocks, or structured content, or an error. Plain JSON. */
export interface ToolResult {
  readonly content: readonly JsonObject[];
  readonly structuredContent?: JsonObject;
  readonly isError?: boolean;
  /** What the provider says of the result: under `ifc` its label, which may only raise. */
  readonly _meta?: JsonObject;
}

/** A tool as its provider describes it. What a provider says is shown, never believed. */
export interface OfferedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: JsonObject;
  /** The definition as it came, with what nobody knows of; left out if it is no more than what stands here. */
  readonly raw?: JsonObject;
}

/** A notice or a question of a server: an MCP method and its parameters. */
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

/** Something that a call touches, as it was found just before the call was decided. */
export interface Target {
  /** Canonical and absolute. */
  readonly path: string;
  /** SHA-256 (hex) of what lies there, or null for nothing; given where the call replaces it. */
  readonly content?: string | null;
}

/** What a provider found out about one call, before it is decided. */
export interface Examination {
  /** Why a person must approve; empty if nothing that the provider knows asks for one. */
  readonly asks: readonly AskCause[];
  /** What an approval is bound to. */
  readonly targets: readonly Target[];
  /** Whether it would touch what no agent may, even with an approval. */
  readonly isProtected?: true;
  /** What this very call brings in, where that is known before it runs; otherwise what its tool declares counts. */
  readonly source?: Label;
  /**
   * The label of what looking at the call tells by itself, such as that there is a column of that name; left out,
   * nothing. Where a session holds less, a plan isn't told what was found out.
   */
  readonly told?: Label;
  /** For the approver: what it would change, as a unified diff. */
  readonly preview?: string;
  /** The provider's own, handed back to it as it is. */
  readonly checked?: unknown;
}

/** One exchange with a server: a call, and what goes back and forth while it runs. */
export interface ExchangeOptions {
  readonly signal?: AbortSignal;
  /** The session that it belongs to. */
  readonly session?: string;
  /** Whom that session works for. */
  readonly principal?: string;
  /** The session whose label it raises; places are shared out by it, so that forks gain none. */
  readonly labelHolder?: string;
  /** What was found out about the call, and what it was decided on. */
  readonly examined?: Examination;
  /** Throws if the call must not be sent any more; asked just before it is. */
  readonly assertCurrent?: () => void;
  /** Takes what the server says about this exchange, and no other: `notifications/progress`, `notifications/message`. */
  readonly onNotice?: (notice: ServerMessage) => void;
  /** Whether it is to tell about its progress. */
  readonly progress?: boolean;
  /** The least severity of messages that are wanted; left out, none. */
  readonly logLevel?: LogLevel;
  /** What the client at the other end can answer, in MCP's shape; left out, nothing. */
  readonly capabilities?: JsonObject;
  /**
   * Answers the server's questions about this exchange: `elicitation/create`, `sampling/createMessage`,
   * `roots/list`, each under a key of its own. Rejects where one can't be answered; left out, none can.
   */
  readonly ask?: (questions: Readonly<Record<string, ServerMessage>>) => Promise<Record<string, JsonObject>>;
  /**
   * Whether the server may still be answered on questions of these methods, by whatever it may be. Asked just before
   * anything is sent; where it may not, nothing is. Never rejects; left out, it may.
   */
  readonly mayAnswer?: (methods: readonly string[]) => Promise<boolean>;
}

/** What a server offers besides tools, as of its last answer. What it says is shown, never believed. */
export interface ServerOffer {
  /** By URI. */
  readonly resources: ReadonlyMap<string, JsonObject>;
  /** By URI template (RFC 6570). */
  readonly templates: ReadonlyMap<string, JsonObject>;
  /** By name. */
  readonly prompts: ReadonlyMap<string, JsonObject>;
  /** Whether it has such things at all, and what else it can. */
  readonly can: {
    readonly resources: boolean;
    readonly prompts: boolean;
    readonly completions: boolean;
    readonly subscribe: boolean;
  };
}

/** The requests that serve what a server offers besides tools. */
export type OfferMethod = "resources/read" | "prompts/get" | "completion/complete";

/** Who subscribes to a resource. */
export interface Subscriber {
  /** The session whose label it shares; places are shared out by it. Left out, a party of its own. */
  readonly labelHolder?: string;
  /** Whether the subscription goes on; asked from time to time, at times that nobody chooses. Never rejects; left out, it does. */
  readonly mayRenew?: () => Promise<boolean>;
}

/** Resources, prompts and what else a server has besides tools. */
export interface OfferProvider {
  readonly current: ServerOffer;
  /** Asks for the lists again. Never rejects: where they can't be had, the last ones stay. */
  refresh(): Promise<void>;
  /**
   * Sends a request with exactly these parameters, and gives the result as it came.
   * @throws SluicegateError as `run` does, and `upstream-refused` with what the server itself said.
   */
  request(method: OfferMethod, params: JsonObject, options: ExchangeOptions): Promise<JsonObject>;
  /**
   * Calls back when a resource changes, also after a new connection. Returns how to stop.
   * @throws SluicegateError as `request` does, and `limit-reached` for one too many.
   */
  subscribe(uri: string, listener: () => void, subscriber?: Subscriber): Promise<() => void>;
}

export interface SignInNeeded {
  /** A page for the person; null if there is none. */
  readonly link: string | null;
}

/** Whether a provider can be called: `starting` until it first answers, `down` between two attempts. */
export type ProviderStatus = "starting" | "ready" | "down" | "closed";

export interface ToolProvider {
  /** The server's id in the policy. */
  readonly id: string;
  /** Part of this program: its definitions come with it, so they are not pinned. */
  readonly isOwn?: true;
  readonly status: ProviderStatus;
  /** Why it isn't ready, for operators; null if it is. */
  readonly problem: string | null;
  /**
   * Where a principal has to sign in before its calls can be made; null if it needn't. Left out: nobody has to. Rejecting
   * is a fault, which denies the call.
   */
  signInNeeded?(principal: string): Promise<SignInNeeded | null>;
  /** What it offers, as of its last answer. */
  readonly tools: ReadonlyMap<string, OfferedTool>;
  /** Resolves when it has answered for the first time, or failed to for now. Never rejects. */
  readonly settled: Promise<void>;
  /**
   * Looks at a call just before it is decided, afresh each time and without side effects. Rejecting is a fault, which
   * denies the call. Left out: there is nothing to find out.
   * @param labelHolder whose call it is: label holders take turns where calls wait for each other
   */
  examine?(tool: string, args: JsonObject, signal?: AbortSignal, labelHolder?: string): Promise<Examination>;
  /**
   * Runs a tool by its own name with exactly these arguments, on exactly what was examined.
   * @throws SluicegateError `upstream-unavailable`, `upstream-failed`, `upstream-timeout`, `result-too-large`.
   */
  run(tool: string, args: JsonObject, options: ExchangeOptions): Promise<ToolResult>;
  /** What it offers besides tools; left out if it never does. */
  readonly offers?: OfferProvider;
  /** Calls back when the status, the tools or the offer has changed. Returns how to stop. */
  watch(listener: () => void): () => void;
  close(): Promise<void>;
}
