/**
 * Traces and metrics of calls by OpenTelemetry, with the names of its conventions for MCP
 * (https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/). They never contain arguments or results.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Attributes,
  type Context,
  type Histogram,
  isSpanContextValid,
  type Link,
  type Meter,
  ROOT_CONTEXT,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { isMethodId, parseToolId } from "../core/index.ts";
import { SluicegateError } from "../errors/index.ts";
import type { Session } from "../runtime/index.ts";
import type { ExecuteOptions, Execution } from "../runtime/internal.ts";
import type { Telemetry } from "./service.ts";

interface Instruments {
  readonly tracer: Tracer;
  readonly meter: Meter;
  readonly close: () => Promise<void>;
}

/** https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/#metric-mcpserveroperationduration */
const SECONDS = {
  unit: "s",
  advice: {
    explicitBucketBoundaries: [
      0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300,
    ],
  },
};

export function createTelemetry({ tracer, meter, close }: Instruments): Telemetry {
  const headers = new AsyncLocalStorage<string>();
  const served = meter.createHistogram("mcp.server.operation.duration", {
    ...SECONDS,
    description: "From a call's arrival to its answer, the waiting for a person included.",
  });
  const asked = meter.createHistogram("mcp.client.operation.duration", {
    ...SECONDS,
    description: "What an allowed call took at its server.",
  });
  return {
    within: (traceparent, run) => (traceparent === null ? run() : headers.run(traceparent, run)),
    measured: (execute) => async (session, call, options) => {
      const { title, attributes } = nameOf(session, call.tool);
      const begin = (kind: SpanKind, parent: Context, more: SpanOptions = {}) => {
        const begun = performance.now();
        const span = tracer.startSpan(title, { kind, attributes, ...more }, parent);
        const end = (duration: Histogram, error: string | undefined, outcome: Attributes = {}): void => {
          const failed = error === undefined ? {} : { "error.type": error };
          duration.record((performance.now() - begun) / 1000, { ...attributes, ...outcome, ...failed });
          span.setAttributes({ ...outcome, ...failed });
          if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        };
        return { span, end };
      };
      const links = toLinks(options.link?.traceparent ?? headers.getStore());
      const arrived = begin(SpanKind.SERVER, ROOT_CONTEXT, { links });
      arrived.span.setAttributes({
        "sluicegate.session.id": session.id,
        "sluicegate.principal": session.principal,
      });
      let request: ReturnType<typeof begin> | null = null;
      const told: ExecuteOptions = {
        ...options,
        onAdmitted: () => {
          request = begin(SpanKind.CLIENT, trace.setSpan(ROOT_CONTEXT, arrived.span));
          options.onAdmitted?.();
        },
        onReturned: (error) => request?.end(asked, error),
      };
      try {
        const execution = await execute(session, call, told);
        const { callId, effect, reasons } = execution.decision;
        arrived.span.setAttributes({
          "sluicegate.call.id": callId,
          "sluicegate.reasons": reasons.map(({ code }) => code),
        });
        arrived.end(served, errorOf(execution), { "sluicegate.effect": effect });
        return execution;
      } catch (cause) {
        arrived.end(served, SluicegateError.isInstance(cause) ? cause.code : "_OTHER");
        throw cause;
      }
    },
    close,
  };
}

/** Uses the policy's names: callers could invent any number of names. */
function nameOf(session: Session, name: string): { readonly title: string; readonly attributes: Attributes } {
  const tool = session.tool(name);
  if (tool === null) return { title: "tools/call", attributes: { "mcp.method.name": "tools/call" } };
  const { server, tool: own } = parseToolId(tool.id);
  const at = server === null ? {} : { "sluicegate.server": server };
  if (isMethodId(tool.id)) return { title: own, attributes: { "mcp.method.name": own, ...at } };
  return {
    title: `tools/call ${tool.id}`,
    attributes: {
      "mcp.method.name": "tools/call",
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": tool.id,
      ...at,
    },
  };
}

function errorOf({ decision, error, result }: Execution): string | undefined {
  if (decision.effect === "deny") return "permission-denied";
  if (error) return error.code;
  return result?.isError === true ? "tool_error" : undefined;
}

/**
 * THREAT: a caller may send any trace. It is linked, not continued, so the caller neither chooses what is sampled nor
 * writes into another trace.
 */
function toLinks(traceparent: string | undefined): Link[] {
  // https://www.w3.org/TR/trace-context/#traceparent-header
  const found = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/.exec(traceparent ?? "");
  const [, traceId = "", spanId = ""] = found ?? [];
  const context = { traceId, spanId, traceFlags: TraceFlags.NONE, isRemote: true };
  return isSpanContextValid(context) ? [{ context }] : [];
}
