import { once } from "node:events";
import { createServer, request as forward, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, inject, it } from "vitest";
import { needs } from "../../../../../rigs/harness/needs.ts";
import { type Stage, stages } from "../../../../../rigs/harness/service/stages.ts";
import { testService } from "../../../../../rigs/harness/service/test-service.ts";
import { parseS3Url } from "../../../src/adapters/objects/s3-url.ts";

const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const TRACEPARENT = `00-${TRACE_ID}-00f067aa0ba902b7-01`;
const [sqlite, postgres] = stages() as [Stage, Stage];
const s3 = inject("s3");

describe("A request with traceparent", () => {
  it("has trace_id in the access log if the header is valid", async () => {
    const test = await testService(sqlite);
    const acme = await test.operator.customer("Acme");
    await acme.get("/api/v2/database/list", { traceparent: TRACEPARENT });
    await acme.get("/api/v2/database/list", { traceparent: `${TRACEPARENT} ${acme.key}` });
    await test.dispose();
    const lines = test.logs().split("\n").filter(Boolean);
    const requests = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "request");
    expect(requests.map(({ trace_id }) => trace_id)).toEqual([TRACE_ID, undefined]);
  });

  it("passes it on to S3", needs("S3"), async () => {
    const { endpoint = "" } = parseS3Url(s3?.url ?? "");
    const seen: IncomingHttpHeaders[] = [];
    // Forwards every request to S3.
    const proxy = createServer((request, response) => {
      const { method, url, headers } = request;
      seen.push(headers);
      const upstream = forward(new URL(url ?? "/", endpoint), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(response);
      });
      request.pipe(upstream);
    }).listen(0, "127.0.0.1");
    await once(proxy, "listening");
    const origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const objectsUrl = s3?.url.replace(endpoint, origin).replace("?", `/${crypto.randomUUID()}?`) ?? "";
    const test = await testService(postgres, { DBDEPOT_OBJECTS_URL: objectsUrl });
    const acme = await test.operator.customer("Acme");
    await test.operator.addDatabase("vpn_ip_v1");
    await test.operator.grant("Acme", "vpn_ip");
    await test.operator.publish("vpn_ip_v1");
    expect(seen.map(({ traceparent }) => traceparent).filter(Boolean)).toEqual([]);

    const path = "/api/v2/database/download?id=vpn_ip_v1&format=mmdb&delivery=stream";
    expect((await acme.get(path, { traceparent: TRACEPARENT })).text).toBe("mmdb content of vpn_ip_v1");
    expect(seen.at(-1)?.traceparent).toBe(TRACEPARENT);
    expect((await acme.get(path)).status).toBe(200);
    expect(seen.at(-1)?.traceparent).toBeUndefined();
    await test.dispose();
    proxy.closeAllConnections();
    proxy.close();
  });
});
