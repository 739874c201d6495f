/** OpenTelemetry for a gateway, set up by the variables that its specification names. */
import { SluicegateError } from "../../errors/index.ts";
import type { Telemetry } from "../../gateway/index.ts";
import { packageVersion } from "../version.ts";

/** https://opentelemetry.io/docs/specs/otel/protocol/exporter/ */
const ENDPOINTS = {
  traces: ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"],
  metrics: ["OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"],
} as const;

/**
 * Sends traces and metrics by OTLP over HTTP where an endpoint is given in the environment; null where none is.
 * @throws SluicegateError `usage` where OpenTelemetry's packages aren't installed.
 */
export async function openTelemetry(): Promise<Telemetry | null> {
  const { env } = process;
  const isOn = (signal: keyof typeof ENDPOINTS): boolean =>
    ENDPOINTS[signal].some((name) => env[name]) && env[`OTEL_${signal.toUpperCase()}_EXPORTER`] !== "none";
  const [hasTraces, hasMetrics] = [isOn("traces"), isOn("metrics")];
  if (env.OTEL_SDK_DISABLED === "true" || !(hasTraces || hasMetrics)) return null;
  const { sdk, createTelemetry } = await load();
  // THREAT: what describes the process would tell its command line, and a store's password may stand there.
  const resource = sdk
    .defaultResource()
    .merge(sdk.resourceFromAttributes({ "service.name": "sluicegate", "service.version": packageVersion() }))
    .merge(sdk.detectResources({ detectors: [sdk.envDetector, sdk.hostDetector] }));
  const traces = new sdk.BasicTracerProvider({
    resource,
    spanProcessors: hasTraces ? [new sdk.BatchSpanProcessor(new sdk.OTLPTraceExporter())] : [],
  });
  const metrics = new sdk.MeterProvider({
    resource,
    readers: hasMetrics
      ? [new sdk.PeriodicExportingMetricReader({ exporter: new sdk.OTLPMetricExporter() })]
      : [],
  });
  return createTelemetry({
    tracer: traces.getTracer("sluicegate", packageVersion()),
    meter: metrics.getMeter("sluicegate", packageVersion()),
    // A collector that is gone must not keep the gateway.
    close: async () => void (await Promise.allSettled([traces.shutdown(), metrics.shutdown()])),
  });
}

async function load() {
  try {
    const [traces, metrics, traceExporter, metricExporter, resources, { createTelemetry }] =
      await Promise.all([
        import("@opentelemetry/sdk-trace-base"),
        import("@opentelemetry/sdk-metrics"),
        import("@opentelemetry/exporter-trace-otlp-http"),
        import("@opentelemetry/exporter-metrics-otlp-http"),
        import("@opentelemetry/resources"),
        import("../../gateway/telemetry.ts"),
      ]);
    return {
      sdk: { ...traces, ...metrics, ...traceExporter, ...metricExporter, ...resources },
      createTelemetry,
    };
  } catch (cause) {
    throw new SluicegateError("usage", "Telemetry needs OpenTelemetry's packages.", {
      why: "An `OTEL_EXPORTER_OTLP_*ENDPOINT` is set, and they aren't installed.",
      fix: "Run `npm install @opentelemetry/{api,resources,sdk-trace-base,sdk-metrics,exporter-trace-otlp-http,exporter-metrics-otlp-http}`, or unset the variable.",
      cause,
    });
  }
}
