import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Stage, stages } from "../../../../../rigs/harness/service/stages.ts";
import { testService } from "../../../../../rigs/harness/service/test-service.ts";

const [stage] = stages() as [Stage];
const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN_ID = "00f067aa0ba902b7";

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number };
}

interface Span {
  name: string;
  traceId: string;
  parentSpanId?: string;
  attributes: Attribute[];
  status: { code?: number };
}

interface ExportRequest {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: Span[] }[] }[];
}

/** Receives spans as a collector does. */
class Collector {
  readonly received: ExportRequest[] = [];
  readonly paths = new Set<string | undefined>();
  readonly #server = createServer(async (request, response) => {
    this.paths.add(request.url);
    this.received.push((await json(request)) as ExportRequest);
    response.setHeader("content-type", "application/json").end("{}");
  });

  async listen(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  get spans(): Span[] {
    const all = this.received.flatMap(({ resourceSpans }) => resourceSpans);
    return all.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
  }
}

describe("OpenTelemetry traces", () => {
  let collector: Collector;
  let endpoint: string;
  beforeEach(async () => {
    collector = new Collector();
    endpoint = await collector.listen();
  });
  afterEach(() => collector.close());

  it("have a span per request with its route and status, which continues the client's trace", async () => {
    const test = await testService(stage, { OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/` });
    const acme = await test.operator.customer("Acme");
    await acme.get("/api/v2/database/list", { traceparent: `00-${TRACE_ID}-${SPAN_ID}-01` });
    await acme.download("nope_v1", "mmdb");
    await acme.get(`/nothing/here?apikey=${acme.key}`);
    await acme.get("/api/v2/database/list", { traceparent: `00-${"a".repeat(32)}-${SPAN_ID}-00` });
    await test.dispose();

    expect(collector.paths).toEqual(new Set(["/v1/traces"]));
    expect(JSON.stringify(collector.received)).not.toContain(acme.key);
    const spans = collector.spans.map(({ name, attributes }) => [
      name,
      attributeIn(attributes, "http.response.status_code"),
    ]);
    // The client asked not to record the last one.
    expect(spans).toEqual([
      ["GET /api/v2/database/list", 200],
      ["GET /api/v2/database/download", 404],
      ["GET", 404],
    ]);
    const [list, download] = collector.spans as [Span, Span];
    expect(list).toMatchObject({ traceId: TRACE_ID, parentSpanId: SPAN_ID });
    expect(attributeIn(list.attributes, "http.route")).toBe("/api/v2/database/list");
    expect(download.traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
    expect(test.logs()).toContain(`"trace_id":"${TRACE_ID}"`);
    expect(test.logs()).toContain(`"trace_id":"${download.traceId}"`);
    const resources = collector.received.flatMap(({ resourceSpans }) => resourceSpans.map(({ resource }) => resource));
    expect(resources.map(({ attributes }) => attributeIn(attributes, "service.name"))).toContain("dbdepot");
  });

  it("do not affect requests if the collector is unreachable, and the log says so", async () => {
    collector.close();
    const test = await testService(stage, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
    const acme = await test.operator.customer("Acme");
    expect((await acme.list()).status).toBe(200);
    await test.dispose();
    expect(test.logs()).toContain("OpenTelemetry reports a problem");
  });

  it("are off by default", async () => {
    const test = await testService(stage);
    const acme = await test.operator.customer("Acme");
    expect((await acme.list()).status).toBe(200);
    await test.dispose();
    expect(test.logs()).not.toContain("trace_id");
  });
});

function attributeIn(attributes: readonly Attribute[], key: string): string | number | undefined {
  const { value } = attributes.find((attribute) => attribute.key === key) ?? {};
  return value?.stringValue ?? value?.intValue;
}
