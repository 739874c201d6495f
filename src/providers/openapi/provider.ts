/** An API as a server behind the gate: a tool for each operation that the policy names. */
import { bottomLabel, parseLabel } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import type {
  Examination,
  ExchangeOptions,
  JsonObject,
  OfferedTool,
  ProviderStatus,
  ToolProvider,
  ToolResult,
} from "../../runtime/index.ts";
import { inTurnOf, ownerOf } from "../../threads/index.ts";
import type { ApiOperationOptions, ApiOptions, ApiTool } from "./api-tool.ts";
import { parseBaseUrl } from "./base-url.ts";
import { checkDocument } from "./document/check-document.ts";
import {
  createDocumentReading,
  type DocumentReading,
  UnusableOperation,
} from "./document/document-reading.ts";
import { createLeadsElsewhere } from "./document/other-operations.ts";
import { readOperation } from "./document/read-operation.ts";
import { lookUpHost } from "./exchange/addresses.ts";
import { createAnswerReader } from "./exchange/answer-reader.ts";
import { problemOfHeaders, reservedOf } from "./exchange/credentials.ts";
import { isFieldPath } from "./exchange/field-filter.ts";
import { sendRequest } from "./exchange/send-request.ts";
import { WrongArgument } from "./exchange/write-parameter.ts";
import { type ApiRequest, type RequestContext, writeRequest } from "./exchange/write-request.ts";

/** An API's provider. */
export interface ApiProvider extends ToolProvider {
  /** Operations that can't be tools, by name, with the reasons for operators. */
  readonly leftOut: ReadonlyMap<string, string>;
}

/** The request that an examination prepared. Private, since it contains credentials. */
class Prepared {
  readonly #tool: ApiTool;
  readonly #request: ApiRequest | WrongArgument;

  constructor(tool: ApiTool, request: ApiRequest | WrongArgument) {
    this.#tool = tool;
    this.#request = request;
  }

  /** The request, or the problem with the arguments; null if another tool was examined. */
  requestOf(tool: ApiTool): ApiRequest | WrongArgument | null {
    return this.#tool === tool ? this.#request : null;
  }
}

/**
 * Offers an API's operations to a gate. The document is validated in the background: `settled` resolves when the
 * tools are there, `problem` says why they aren't. The API isn't contacted before a call.
 */
export function createApiProvider(options: ApiOptions): ApiProvider {
  return new Api(options);
}

class Api implements ApiProvider {
  readonly id: string;
  readonly isOwn = true;
  readonly settled: Promise<void>;
  readonly #options: ApiOptions;
  readonly #tools = new Map<string, ApiTool>();
  readonly #offered = new Map<string, OfferedTool>();
  readonly #leftOut = new Map<string, string>();
  readonly #listeners = new Set<() => void>();
  readonly #closing = new AbortController();
  readonly #answers = createAnswerReader();
  #status: ProviderStatus = "starting";
  #problem: string | null = "Its document is being read.";
  #context: RequestContext | null = null;

  constructor(options: ApiOptions) {
    this.id = options.id;
    this.#options = options;
    this.settled = this.#start();
  }

  get status(): ProviderStatus {
    return this.#status;
  }

  get problem(): string | null {
    return this.#problem;
  }

  get tools(): ReadonlyMap<string, OfferedTool> {
    return this.#offered;
  }

  get leftOut(): ReadonlyMap<string, string> {
    return this.#leftOut;
  }

  async examine(name: string, args: JsonObject): Promise<Examination> {
    const tool = this.#toolOf(name);
    const { lattice } = this.#options;
    const request = this.#prepare(tool, args);
    // INVARIANT: `run` sends nothing for wrong arguments, so they have no source; an operation with `fields` returns
    // nothing else, whatever the API answers.
    const source =
      request instanceof WrongArgument ? bottomLabel(lattice) : parseLabel(lattice, tool.operation.label);
    return { asks: [], targets: [], source, checked: new Prepared(tool, request) };
  }

  async run(name: string, args: JsonObject, exchange: ExchangeOptions): Promise<ToolResult> {
    const tool = this.#toolOf(name);
    const { checked } = exchange.examined ?? {};
    const examined = checked instanceof Prepared ? checked.requestOf(tool) : null;
    const request = examined ?? this.#prepare(tool, args);
    if (request instanceof WrongArgument) return failed(request.message);
    exchange.assertCurrent?.();
    return inTurnOf(ownerOf(exchange), () => this.#send(tool, request, exchange.signal));
  }

  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    if (this.#status === "closed") return;
    this.#closing.abort(closed());
    this.#change("closed", "It was closed.");
    await this.#answers.close();
  }

  #prepare(tool: ApiTool, args: JsonObject): ApiRequest | WrongArgument {
    if (this.#context === null) throw closed();
    try {
      return writeRequest(this.#context, tool, args);
    } catch (error) {
      if (error instanceof WrongArgument) return error;
      throw error;
    }
  }

  async #send({ operation }: ApiTool, request: ApiRequest, signal?: AbortSignal): Promise<ToolResult> {
    if (this.#context === null) throw closed();
    const { headers, query, allowPrivate, limits, lookUp = lookUpHost } = this.#options;
    const { base, leadsElsewhere } = this.#context;
    const isElsewhere = (path: string): boolean => leadsElsewhere(operation, path, "redirect");
    const over = signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal;
    const response = await sendRequest(request, {
      base,
      query,
      isElsewhere,
      allowPrivate,
      limits,
      lookUp,
      signal: over,
    });
    return this.#answers.read(response, { sent: [headers, query], fields: operation.fields });
  }

  #toolOf(name: string): ApiTool {
    if (this.#status === "closed") throw closed();
    if (this.#status !== "ready") throw notReady(this.#problem);
    const tool = this.#tools.get(name);
    if (tool !== undefined) return tool;
    throw new SluicegateError("not-found", "The API has no such tool.", {
      why: this.#leftOut.get(name) ?? "It offers others.",
      fix: "List its tools, and call one of them.",
    });
  }

  async #start(): Promise<void> {
    let problem: string | null;
    try {
      problem = await this.#read();
    } catch {
      problem = "Its document can't be read.";
    }
    if (this.#status === "closed") return;
    this.#change(problem === null ? "ready" : "down", problem);
  }

  /** Reads the document and creates its tools; returns why there are none. */
  async #read(): Promise<string | null> {
    const { baseUrl, headers, document, operations } = this.#options;
    const base = parseBaseUrl(baseUrl);
    if (typeof base === "string") return base;
    const wrong = problemOfHeaders(headers);
    if (wrong !== null) return wrong;
    const { problem, unusable } = await checkDocument(document, operations);
    if (problem !== null) return `Its document is not valid. ${problem}`;
    const context: RequestContext = {
      base,
      reserved: reservedOf(this.#options),
      leadsElsewhere: createLeadsElsewhere(document),
      options: this.#options,
    };
    this.#context = context;
    const reading = createDocumentReading();
    for (const operation of operations) this.#add(context, operation, unusable.get(operation), reading);
    if (this.#tools.size > 0 || operations.length === 0) return null;
    return `None of its operations can be a tool. ${this.#leftOut.values().next().value ?? ""}`;
  }

  #add(
    { reserved }: RequestContext,
    operation: ApiOperationOptions,
    unusable: string | undefined,
    reading: DocumentReading,
  ): void {
    const reason = unusable ?? this.#tryAdd(operation, reserved, reading);
    if (reason !== null) this.#leftOut.set(operation.name, reason);
  }

  #tryAdd(
    operation: ApiOperationOptions,
    reserved: RequestContext["reserved"],
    reading: DocumentReading,
  ): string | null {
    if (this.#tools.has(operation.name)) return "Another operation has its name.";
    if (operation.fields?.every(isFieldPath) === false) return "One of its `fields` is no path of a field.";
    try {
      const tool = readOperation(this.#options.document, operation, reserved, reading);
      this.#tools.set(operation.name, tool);
      this.#offered.set(operation.name, tool.offered);
      return null;
    } catch (error) {
      if (error instanceof UnusableOperation) return error.message;
      throw error;
    }
  }

  #change(status: ProviderStatus, problem: string | null): void {
    this.#status = status;
    this.#problem = problem;
    for (const listener of this.#listeners) listener();
  }
}

const failed = (text: string): ToolResult => ({ content: [{ type: "text", text }], isError: true });

const notReady = (problem: string | null): SluicegateError =>
  new SluicegateError("upstream-unavailable", "The API can't be called.", {
    why: problem ?? "Its document is being read.",
    fix: "Call it again later, or let the operator look at its declaration.",
  });

const closed = (): SluicegateError =>
  new SluicegateError("upstream-unavailable", "The API can't be called any more.", {
    why: "Its program is ending.",
    fix: "Call it again later.",
  });
