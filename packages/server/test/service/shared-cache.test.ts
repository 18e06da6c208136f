import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../../../rigs/harness/free-port.ts";
import { needs } from "../../../../rigs/harness/needs.ts";
import { startNginxWith } from "../../../../rigs/harness/servers/nginx.ts";
import { type Stage, stages } from "../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../rigs/harness/service/test-service.ts";
import { createSigningKey } from "../../src/domain/manifests/signing-keys.ts";
import { ROUTES } from "../../src/http/routes.ts";

const [stage] = stages() as [Stage];

/** Routes of customers that respond at once, and whose URL needs no id. */
const OWN = ROUTES.filter(
  ({ url, method, scope }) =>
    method === "GET" &&
    /^\/api\/v[12]\//.test(url) &&
    scope !== "public" &&
    scope !== "v1 key" &&
    !url.includes(":") &&
    !url.endsWith("/events"),
).map(({ url }) => url);

const SHARED = ["/.well-known/dbdepot-keys.json", "/openapi.json", "/docs"];

describe("a shared cache in front of the API that keeps everything it may", needs("nginx"), () => {
  let test: TestService;
  let nginx: AsyncDisposable;
  let cached: string;
  const keys: string[] = [];
  let legacy: string[];
  beforeAll(async () => {
    const port = await freePort();
    test = await testService(stage);
    const cache = `${test.dataDir}/nginx-cache`;
    cached = `http://127.0.0.1:${port}`;
    nginx = await startNginxWith(
      port,
      `proxy_cache_path ${cache} keys_zone=api:1m;
       server {
         listen 127.0.0.1:${port};
         location / {
           proxy_pass ${test.service.apiUrl};
           proxy_cache api;
           proxy_cache_key $request_uri;
           proxy_cache_valid any 10m;
           add_header X-Cache $upstream_cache_status always;
         }
       }`,
    );
    await test.operator.addDatabase("vpn_ip_v1");
    await createSigningKey(test.operator.operation());
    await test.operator.addDatabase("tor_ip_v1");
    await test.operator.publish("vpn_ip_v1");
    for (const name of ["Acme", "Globex"]) {
      const scopes = ["db.download", "apikeys.read", "org.read", "account.read"];
      keys.push((await test.operator.customer(name, { scopes })).key);
    }
    await test.operator.grant("Acme", "vpn_ip");
    legacy = [
      (await test.operator.legacyCustomer(["vpn_ip_v1"])).uuid,
      (await test.operator.legacyCustomer(["tor_ip_v1"])).uuid,
    ];
    await test.operator.settle();
  });
  afterAll(async () => {
    await nginx?.[Symbol.asyncDispose]();
    await test?.dispose();
  });

  const get = async (url: string, headers: Record<string, string>) => {
    const response = await fetch(url, { headers, redirect: "manual" });
    const { status } = response;
    const text = (await response.text()).replace(/"request_id":"[^"]*"/, "");
    return { status, text, cache: response.headers.get("x-cache"), vary: response.headers.get("vary") };
  };

  it("finds routes to try", () => {
    expect(OWN.length).toBeGreaterThan(10);
  });

  it.each(OWN)("%s is never the response to another customer, or to somebody without a key", async (url) => {
    const path = `${url}?id=vpn_ip_v1&format=mmdb`;
    const callers = [
      ...keys.map((key) => ({ authorization: `Bearer ${key}` })),
      ...keys.map((key) => ({ "x-api-key": key })),
      {},
    ];
    const plain = url.startsWith("/api/v2/database") ? path : url;
    for (const headers of [...callers, ...callers]) {
      const direct = await get(test.service.apiUrl + plain, headers);
      const behind = await get(cached + plain, headers);
      expect(behind).toMatchObject({ status: direct.status, cache: "MISS" });
      // The history and times of last use change with each request.
      if (!/downloads|apikeys|usage/.test(url)) expect(behind.text).toBe(direct.text);
      expect(direct.vary).toMatch(/^Authorization, X-Api-Key, Cookie/);
    }
  });

  it("keeps v1 keys apart", async () => {
    const statuses = [];
    for (const key of [...legacy, ...legacy]) {
      const reply = await get(`${cached}/api/v1/database/metadata?id=vpn_ip_v1&apikey=${key}`, {});
      expect(reply.cache).toBe("MISS");
      statuses.push(reply.status);
    }
    expect(statuses).toEqual([200, 403, 200, 403]);
  });

  it.each(SHARED)("keeps %s, which is the same for everybody", async (path) => {
    const first = await get(cached + path, { authorization: `Bearer ${keys[0]}` });
    const second = await get(cached + path, {});
    expect([first.status, first.cache, second.cache]).toEqual([200, "MISS", "HIT"]);
    expect(second.text).toBe(first.text);
  });
});
