/** Exports a span per request over OTLP/HTTP. The service imports it only if an endpoint is set. */
import { DiagLogLevel, diag, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import type { Logger } from "pino";
import type { TraceContext } from "../../platform/primitives/trace-context.ts";

interface RequestSpan {
  /** The span itself, as the parent of further requests. */
  trace: TraceContext;
  /** The status is undefined if the client disconnected before the response. */
  end(status: number | undefined): void;
}

export interface Tracing {
  startSpan(request: { id: string; method: string; route: string | undefined }, parent?: TraceContext): RequestSpan;
  /** Exports the remaining spans. */
  close(): Promise<void>;
}

export function startTracing(endpoint: string, log: Logger): Tracing {
  const report = (message: string) => log.warn({ detail: message }, "OpenTelemetry reports a problem");
  const levels = { error: report, warn: report, info: () => {}, debug: () => {}, verbose: () => {} };
  diag.setLogger(levels, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces` });
  const provider = new TracerProvider({
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES take precedence.
    resource: resourceFromAttributes({ "service.name": "dbdepot" }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer("dbdepot");
  return {
    startSpan({ id, method, route }, parent) {
      const name = route === undefined ? method : `${method} ${route}`;
      const context = parent ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }) : ROOT_CONTEXT;
      // The URL is omitted, because its query may contain a key.
      const attributes = {
        "http.request.method": method,
        "dbdepot.request_id": id,
        ...(route !== undefined && { "http.route": route }),
      };
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, context);
      return {
        trace: span.spanContext(),
        end(status) {
          if (status !== undefined) span.setAttribute("http.response.status_code", status);
          if (status === undefined || status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
    close: () => provider.shutdown().catch((error) => report((error as Error).message)),
  };
}
