import type { Role } from "@dbdepot/contract/console/accounts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eitherStage } from "../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../rigs/harness/service/test-service.ts";
import { createKey, revokeKey } from "../../src/domain/keys/keys.ts";
import type { Route } from "../../src/http/route.ts";
import { ROUTES } from "../../src/http/routes.ts";
import { ACCESS } from "./access.ts";
import { personOf } from "./console/person.ts";

const NO_ID = "0192aaaa-0000-7000-8000-000000000000";
const CUSTOMER_SCOPES = ["db.download", "apikeys.manage", "apikeys.read", "org.read", "account.read"];

/** A kind of caller: the headers to send, and the access that they give. */
interface Caller {
  name: string;
  headers?: Record<string, string>;
  query?: string;
  grants: readonly string[];
  role?: Role;
  /** Sends what a page of another site could send: the cookie, but no proof that it is our page. */
  isForeignPage?: boolean;
}

it("writes down the access of every route a second time", () => {
  expect(Object.fromEntries(ROUTES.map((route) => [nameOf(route), accessOf(route)]))).toEqual(ACCESS);
});

for (const stage of eitherStage()) {
  describe(`access on ${stage.name}`, () => {
    let test: TestService;
    let callers: Caller[];
    beforeAll(async () => {
      test = await testService(stage, { DBDEPOT_RATE_LIMIT: "off" });
      callers = await everyKindOfCaller(test);
    });
    afterAll(() => test.dispose());

    it("is what the table says for every route and every kind of caller", async () => {
      const unexpected: unknown[] = [];
      for (const caller of callers) {
        for (const route of signOutLast(ROUTES)) {
          const expected = expectedStatus(route, caller);
          const { status, rc } = await request(test.service.apiUrl, route, caller);
          const refusal =
            expected === 403 ? "CROSS_ORIGIN" : route.scope === "v1 key" ? "INVALID_APIKEY" : "UNAUTHORIZED";
          const isRight =
            expected === "open" ? status !== 401 && rc !== "CROSS_ORIGIN" : status === expected && rc === refusal;
          if (!isRight) unexpected.push({ route: nameOf(route), caller: caller.name, status, rc, expected });
        }
      }
      expect(unexpected).toEqual([]);
      expect(callers).toHaveLength(26);
    });
  });
}

async function everyKindOfCaller(test: TestService): Promise<Caller[]> {
  const { operator, clock } = test;
  await operator.addDatabase("vpn_ip_v1");
  const { organizationId } = await operator.customer("Acme");
  const issue = async (scopes: string[], more: { organizationId?: null; cidrs?: string[]; expires?: Date } = {}) => {
    const terms = { organizationId, name: "key", scopes, cidrs: [], expires: null, ...more };
    const { key, plain } = await createKey(operator.operation(), terms);
    return { id: key.id, secret: plain.reveal() };
  };
  const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
  const withKey = (name: string, { secret }: { secret: string }, grants: string[]): Caller => ({
    name,
    headers: bearer(secret),
    grants,
  });
  const mistyped = `${(await issue(CUSTOMER_SCOPES)).secret.slice(0, -1)}!`;
  const revoked = await issue(CUSTOMER_SCOPES);
  await revokeKey(operator.operation(), revoked.id);
  const expired = await issue(CUSTOMER_SCOPES, { expires: new Date(clock.now().getTime() + 1000) });
  clock.advance("60 seconds");
  const { uuid } = await operator.legacyCustomer(["vpn_ip_v1"], "Acme");
  const callers: Caller[] = [
    { name: "nobody", grants: [] },
    { name: "garbage", headers: bearer("garbage"), grants: [] },
    { name: "a mistyped key", headers: bearer(mistyped), grants: [] },
    { name: "a v1 key in the query", query: `apikey=${uuid}`, grants: ["v1 key"] },
    { name: "a v1 key as a bearer", headers: bearer(uuid), grants: [] },
    withKey("a key without scopes", await issue([]), ["any key"]),
    withKey("a key that may download", await issue(["db.download"]), ["any key", "db.download"]),
    withKey("a key that may manage keys", await issue(["apikeys.manage"]), [
      "any key",
      "apikeys.manage",
      "apikeys.read",
    ]),
    withKey("a key that may list keys", await issue(["apikeys.read"]), ["any key", "apikeys.read"]),
    withKey("a key that may read its organization", await issue(["org.read"]), ["any key", "org.read"]),
    withKey("a key that may read its account", await issue(["account.read"]), ["any key"]),
    withKey("a key of no organization", await issue(CUSTOMER_SCOPES, { organizationId: null }), ["any key"]),
    withKey("a revoked key", revoked, []),
    withKey("an expired key", expired, []),
    withKey("a key outside its CIDRs", await issue(CUSTOMER_SCOPES, { cidrs: ["192.0.2.0/24"] }), []),
  ];
  for (const scope of ["operator.read", "operator.write", "builds.publish"]) {
    callers.push(
      withKey(`an operator key with ${scope}`, await issue([scope], { organizationId: null }), ["any key", scope]),
    );
  }
  const roles: Record<Role, string[]> = {
    operator: ["operator.read", "operator.write", "builds.publish"],
    operator_viewer: ["operator.read"],
    admin: CUSTOMER_SCOPES,
    viewer: ["db.download", "org.read"],
  };
  for (const [role, grants] of Object.entries(roles) as [Role, string[]][]) {
    const { cookie = "" } = await personOf(
      test,
      `${role}@example.com`,
      role,
      role.startsWith("op") ? undefined : "Acme",
    );
    callers.push({ name: `${role} on another site's page`, headers: { cookie }, grants, role, isForeignPage: true });
    callers.push({ name: role, headers: { cookie, "sec-fetch-site": "same-origin" }, grants, role });
  }
  await operator.settle();
  return callers;
}

function expectedStatus(route: Route, { grants, role, isForeignPage }: Caller): 401 | 403 | "open" {
  if (route.scope === "public") return "open";
  const isGranted =
    route.scope === "account"
      ? role !== undefined && (ACCESS[nameOf(route)] ?? "").split(",").includes(role)
      : grants.includes(route.scope);
  if (!isGranted) return 401;
  return isForeignPage && route.method !== "GET" ? 403 : "open";
}

async function request(apiUrl: string, route: Route, { headers = {}, query = "" }: Caller) {
  const path = route.url.replaceAll(/:\w+/g, NO_ID).replace("*", "index.html");
  // No route accepts this body, so nothing is changed.
  const body = route.body && { body: '{"unknown":true}', headers: { ...headers, "content-type": "application/json" } };
  const response = await fetch(`${apiUrl}${path}?${query}`, {
    method: route.method,
    redirect: "manual",
    headers,
    ...body,
  });
  // Only refusals are read to their end, because an event stream never ends.
  const text = response.status >= 400 ? await response.text() : "";
  await response.body?.cancel().catch(() => {});
  const sent = text.startsWith("{") ? JSON.parse(text) : {};
  return { status: response.status, rc: sent.rc ?? sent.errorCode };
}

function nameOf({ method, url }: Route): string {
  return `${method} ${url}`;
}

function accessOf(route: Route): string {
  return route.scope === "account" ? route.roles.toSorted().join() : route.scope;
}

/** A person who signs out cannot call anything else. */
function signOutLast(routes: readonly Route[]): Route[] {
  const isSignOut = (route: Route) => nameOf(route) === "DELETE /api/console/session";
  return [...routes.filter((route) => !isSignOut(route)), ...routes.filter(isSignOut)];
}
