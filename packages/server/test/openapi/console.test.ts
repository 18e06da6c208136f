import { Readable } from "node:stream";
import { ROLES, type Role } from "@dbdepot/contract/console/accounts";
import { beforeAll, describe, expect, test } from "vitest";
import type { Reply } from "../../../../rigs/harness/service/customer.ts";
import { addOrganization, updateOrganization } from "../../src/domain/organizations/organizations.ts";
import { CONSOLE_ROUTES } from "../../src/http/console/routes.ts";
import type { Route } from "../../src/http/route.ts";
import { mmdbOf } from "../domain/builds/sample-build.ts";
import { Authenticator, addPasskey } from "../routes/console/authenticator.ts";
import { PASSWORD, type Person, personOf, tokenOf } from "../routes/console/person.ts";
import { startDevice } from "../routes/oauth/program.ts";
import { Coverage } from "./coverage.ts";
import type { Operation } from "./documented.ts";
import { openFixture, sharedFixture } from "./fixture.ts";

const UNKNOWN_ID = "019a8c11-04d2-7a3f-8e64-5b7f20c9d1aa";

const coverage = new Coverage("console");
const fixture = sharedFixture();
const people = {} as Record<Role, Person & { id: string }>;
beforeAll(async () => {
  for (const role of ROLES) {
    people[role] = await personOf(
      fixture,
      `${role}@example.com`,
      role,
      role.startsWith("operator") ? undefined : "Acme",
    );
  }
});

interface Sending {
  /** The sender, or undefined for a person who is not signed in. */
  as?: Person;
  id?: string;
  query?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Sends a request as the console does and checks the response against the document. */
async function send(
  operation: Operation,
  { as, id = UNKNOWN_ID, query = "", body, headers = {} }: Sending = {},
  { service } = fixture,
): Promise<Reply & { outcome: string }> {
  const { reply, outcome } = await coverage.call(service.apiUrl, operation, {
    path: (operation.split(" ")[1] ?? "").replace("{id}", id),
    query,
    headers: {
      "sec-fetch-site": "same-origin",
      ...(as?.cookie && { cookie: as.cookie }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { ...reply, outcome };
}

async function expectOutcome(operation: Operation, expected: string, sending?: Sending): Promise<Reply> {
  const reply = await send(operation, sending);
  expect(reply.outcome).toBe(`${operation} ${expected}`);
  return reply;
}

function isClosed(query: Route["query"]): boolean {
  return (query as { additionalProperties?: boolean } | undefined)?.additionalProperties === false;
}

function operationOf({ method, url }: Route): Operation {
  return `${method} ${url.replace(":id", "{id}")}` as Operation;
}

/** Someone who may call the route, or undefined for public routes. */
function callerOf(route: Route): { as?: Person } {
  return route.scope === "account" ? { as: people[route.roles[0] ?? "operator"] } : {};
}

describe("console responses", () => {
  test("match the document for reading with every role that may", async () => {
    for (const route of CONSOLE_ROUTES.filter(({ method }) => method === "GET")) {
      for (const role of route.scope === "account" ? route.roles : ROLES) {
        const { status } = await send(operationOf(route), { as: people[role] });
        expect([operationOf(route), role, status < 500]).toEqual([operationOf(route), role, true]);
      }
    }
  });

  test("match the document without a session, and from pages of other sites", async () => {
    for (const route of CONSOLE_ROUTES.filter(({ scope }) => scope === "account")) {
      await expectOutcome(operationOf(route), "401 UNAUTHORIZED");
      if (route.method === "GET") continue;
      const headers = { "sec-fetch-site": "cross-site" };
      await expectOutcome(operationOf(route), "403 CROSS_ORIGIN", { ...callerOf(route), headers });
    }
  });

  test("match the document for invalid queries and bodies", async () => {
    for (const route of CONSOLE_ROUTES) {
      const operation = operationOf(route);
      const caller = callerOf(route);
      if (isClosed(route.query))
        await expectOutcome(operation, "400 INVALID_REQUEST", { ...caller, query: "?unknown=1" });
      if (!route.body) continue;
      await expectOutcome(operation, "400 INVALID_REQUEST", { ...caller, body: { unknown: true } });
      await expectOutcome(operation, "413 TOO_LARGE", { ...caller, body: { large: "x".repeat(70_000) } });
      const headers = { "content-type": "text/plain" };
      await expectOutcome(operation, "415 UNSUPPORTED_MEDIA_TYPE", { ...caller, body: {}, headers });
    }
  });

  test("match the document for signing in, changing the password and signing out", async () => {
    const { viewer } = people;
    const { email } = viewer;
    await expectOutcome("POST /api/console/session", "401 INVALID_CREDENTIALS", { body: { email, password: "wrong" } });
    await expectOutcome("POST /api/console/session", "200", { body: { email, password: PASSWORD } });
    const change = { current: PASSWORD, password: "another good password" };
    await expectOutcome("PUT /api/console/password", "401 INVALID_CREDENTIALS", {
      as: viewer,
      body: { ...change, current: "wrong" },
    });
    await expectOutcome("PUT /api/console/password", "204", { as: viewer, body: change });
    const leaving = await personOf(fixture, "leaving@example.com", "viewer", "Acme");
    const browser = await leaving.elsewhere();
    const { sessions } = (await leaving.get("/api/console/sessions")).json;
    const other = sessions.find(({ current }: { current: boolean }) => !current);
    await expectOutcome("DELETE /api/console/sessions/{id}", "204", { as: leaving, id: other.id });
    expect(await browser.isSignedIn()).toBe(false);
    await expectOutcome("DELETE /api/console/session", "204", { as: leaving });
  });

  test("match the document for passkeys, recovery codes and the second step of signing in", async () => {
    const as = await personOf(fixture, "passkeys@example.com", "viewer", "Acme");
    const { apiUrl } = fixture.service;
    await expectOutcome("PATCH /api/console/account", "200", { as, body: { name: "Ada" } });
    const choice = { topic: "keys", enabled: false };
    await expectOutcome("PATCH /api/console/notices", "200", { as: people.admin, body: choice });
    const codes = "POST /api/console/recovery-codes";
    const proof = { password: PASSWORD };
    await expectOutcome(codes, "409 CONFLICT", { as, body: proof });
    await expectOutcome(codes, "401 INVALID_CREDENTIALS", { as, body: {} });
    const confirm = "POST /api/console/confirmation/options";
    await expectOutcome(confirm, "409 CONFLICT", { as });
    const authenticator = Object.assign(new Authenticator(apiUrl), { isDiscoverable: true, checksPerson: true });
    const options = "POST /api/console/passkeys/options";
    const begin = async () => (await expectOutcome(options, "200", { as, body: proof })).json;
    const add = async (key: Authenticator) => {
      const { token, options: asked } = await begin();
      const body = { token, name: "Blue key", response: key.create(asked) };
      return (await expectOutcome("POST /api/console/passkeys", "200", { as, body })).json.passkey.id;
    };
    const firstId = await add(authenticator);
    await expectOutcome("GET /api/console/security", "200", { as });
    await expectOutcome(confirm, "200", { as });
    await expectOutcome(codes, "200", { as, body: proof });
    await expectOutcome(options, "401 INVALID_CREDENTIALS", { as, body: { password: "wrong" } });
    for (let count = 1; count < 20; count++) await add(new Authenticator(apiUrl));
    await expectOutcome(options, "409 CONFLICT", { as, body: proof });

    const signIn = { email: as.email, password: PASSWORD };
    const { second_factor } = (await expectOutcome("POST /api/console/session", "200", { body: signIn })).json;
    const factor = "POST /api/console/session/second-factor";
    const { token } = second_factor;
    await expectOutcome(factor, "401 INVALID_CREDENTIALS", { body: { token, code: "wrong" } });
    const body = { token, response: authenticator.use(second_factor.options) };
    await expectOutcome(factor, "200", { body });

    const alone = "POST /api/console/session/passkey";
    const asked = (await expectOutcome(`${alone}/options`, "200", {})).json;
    const used = { token: asked.token, response: authenticator.use(asked.options) };
    await expectOutcome(alone, "200", { body: used });
    await expectOutcome(alone, "401 INVALID_CREDENTIALS", { body: used });
    const nameless = await openFixture({
      DBDEPOT_PUBLIC_URL: "http://192.0.2.1",
      DBDEPOT_OBJECTS_PUBLIC_URL: "http://192.0.2.1:8081",
    });
    const refusedOptions = await send(`${alone}/options`, {}, nameless);
    expect(refusedOptions.outcome).toBe(`${alone}/options 409 CONFLICT`);
    await nameless.dispose();

    const remove = "POST /api/console/passkeys/{id}/remove";
    await expectOutcome(remove, "404 NOT_FOUND", { as, body: proof });
    const { passkeys } = (await as.get("/api/console/security")).json;
    for (const { id } of passkeys.slice(1)) await expectOutcome(remove, "204", { as, id, body: proof });
    await expectOutcome(remove, "401 INVALID_CREDENTIALS", { as, id: firstId, body: { password: "wrong" } });
    const reset = "DELETE /api/console/accounts/{id}/second-factor";
    await expectOutcome(reset, "404 NOT_FOUND", { as: people.operator });
    await expectOutcome(reset, "409 CONFLICT", { as: people.operator, id: people.operator.id });
    await expectOutcome(reset, "204", { as: people.operator, id: as.id });

    const strict = await openFixture({ DBDEPOT_REQUIRE_TWO_FACTOR: "all" });
    const bound = await personOf(strict, "bound@example.com", "viewer", "Acme");
    const added = await addPasskey(bound, new Authenticator(strict.service.apiUrl));
    const refused = await send(remove, { as: bound, id: added.json.passkey.id, body: { password: PASSWORD } }, strict);
    expect(refused.outcome).toBe(`${remove} 409 CONFLICT`);
    await strict.dispose();
  });

  test("match the document for a first password", async () => {
    const as = await personOf(fixture, "first@example.com", "viewer", "Acme");
    await fixture.service.services.store.change((tables) => tables.accounts.setPasswordHash(as.id, null));
    fixture.clock.advance("901 seconds");
    await expectOutcome("PUT /api/console/password", "409 CONFLICT", { as, body: { password: PASSWORD } });
  });

  test("match the document for accounts and their links", async () => {
    const as = people.operator;
    await expectOutcome("GET /api/console/accounts", "404 NOT_FOUND", { as, query: "?org=Nobody" });
    const person = { email: "new@example.com", role: "viewer", organization: "Acme" };
    await expectOutcome("POST /api/console/accounts", "404 NOT_FOUND", {
      as,
      body: { ...person, organization: "Nobody" },
    });
    const { account } = (await expectOutcome("POST /api/console/accounts", "200", { as, body: person })).json;
    await expectOutcome("POST /api/console/accounts", "409 CONFLICT", { as, body: person });
    const link = await expectOutcome("POST /api/console/accounts/{id}/link", "200", { as, id: account.id });
    const token = tokenOf(link);
    await expectOutcome("POST /api/console/links/inspect", "200", { body: { token } });
    await expectOutcome("POST /api/console/links/accept", "200", { body: { token, password: PASSWORD } });
    await expectOutcome("POST /api/console/links/inspect", "410 INVALID_LINK", { body: { token } });
    await expectOutcome("POST /api/console/links/accept", "410 INVALID_LINK", { body: { token, password: PASSWORD } });
    await expectOutcome("POST /api/console/password-resets", "202", { body: { email: person.email } });

    const patch = (expected: string, id: string) =>
      expectOutcome("PATCH /api/console/accounts/{id}", expected, { as, id, body: { disabled: true } });
    await patch("200", account.id);
    await patch("404 NOT_FOUND", UNKNOWN_ID);
    await patch("409 CONFLICT", as.id);
    await expectOutcome("POST /api/console/accounts/{id}/link", "404 NOT_FOUND", { as });
    await expectOutcome("POST /api/console/accounts/{id}/link", "409 CONFLICT", { as, id: account.id });

    await fixture.operator.customer("Somewhere else");
    const move = (expected: string, id: string) =>
      expectOutcome("POST /api/console/accounts/{id}/move", expected, {
        as,
        id,
        body: { organization: "Somewhere else" },
      });
    await move("200", account.id);
    await move("409 CONFLICT", account.id);
    await move("404 NOT_FOUND", UNKNOWN_ID);
    const remove = "DELETE /api/console/accounts/{id}";
    await expectOutcome(remove, "204", { as, id: account.id });
    await expectOutcome(remove, "404 NOT_FOUND", { as, id: account.id });

    const view = (expected: string, organization: string) =>
      expectOutcome("POST /api/console/view", expected, { as, body: { organization } });
    await view("200", "Somewhere else");
    await expectOutcome("DELETE /api/console/view", "200", { as });
    await view("404 NOT_FOUND", "Nowhere");
    await updateOrganization(fixture.operator.operation(), "Somewhere else", { isArchived: true });
    await view("409 CONFLICT", "Somewhere else");
    await expectOutcome(remove, "409 CONFLICT", { as, id: as.id });
  });

  test("match the document for the history", async () => {
    const query = "?organization=Nobody";
    await expectOutcome("GET /api/console/usage", "404 NOT_FOUND", { as: people.operator, query });
    await expectOutcome("GET /api/console/downloads", "200", { as: people.admin, query: "?format=csv" });
  });

  test("match the document for builds and lookups", async () => {
    const as = people.viewer;
    const { operator, service } = fixture;
    await operator.addDatabase("csv_ip_v1", { formats: ["csvgz"] });
    await operator.grant("Acme", "csv_ip");
    await operator.publish("csv_ip_v1");
    const build = await operator.publish("vpn_ip_v1");
    const mmdb = mmdbOf("a record");
    const objectKey = `vpn_ip_v1/${build.id}/real.mmdb`;
    await service.services.objects.put(objectKey, Readable.from([mmdb]));
    Object.assign(service.services.register.offer("vpn_ip_v1")?.build?.files.mmdb ?? {}, {
      objectKey,
      sizeBytes: mmdb.length,
    });
    const refusals = {
      expired_ip_v1: "403 LICENSE_EXPIRED",
      unlicensed_ip_v1: "403 NOT_LICENSED",
      bound_ip_v1: "403 TERMS_NOT_ACCEPTED",
      x: "404 UNKNOWN_DATASET",
    };
    for (const operation of ["GET /api/console/databases/{id}", "GET /api/console/databases/{id}/lookup"] as const) {
      const query = operation.endsWith("lookup") ? "?address=192.0.2.1" : "";
      await expectOutcome(operation, "200", { as, id: "vpn_ip_v1", query });
      for (const [id, outcome] of Object.entries(refusals)) await expectOutcome(operation, outcome, { as, id, query });
    }
    const metadata = "GET /api/console/databases/{id}/metadata";
    await expectOutcome(metadata, "200", { as, id: "vpn_ip_v1" });
    await expectOutcome(metadata, "404 UNKNOWN_DATASET", { as });
    await expectOutcome(metadata, "503 NOT_AVAILABLE", { as, id: "soon_ip_v1" });
    const query = "?address=192.0.2.1";
    await expectOutcome("GET /api/console/databases/{id}/lookup", "400 INVALID_FORMAT", { as, id: "csv_ip_v1", query });
  });

  test("match the document for requests for access", async () => {
    const as = people.viewer;
    await expectOutcome("POST /api/console/access-requests", "200", { as, body: { base: "unlicensed_ip" } });
    await expectOutcome("GET /api/console/access-requests", "200", { as });
    await expectOutcome("POST /api/console/access-requests", "404 UNKNOWN_DATASET", { as, body: { base: "unknown" } });
  });

  test("match the document for terms", async () => {
    const as = people.admin;
    const id = "data-licence@1";
    await expectOutcome("GET /api/console/terms", "200", { as: people.viewer });
    const { json } = await expectOutcome("GET /api/console/terms/{id}", "200", { as, id });
    await expectOutcome("GET /api/console/terms/{id}", "404 NOT_FOUND", { as, id: "data-licence@2" });
    const accept = "POST /api/console/terms/{id}/accept";
    const body = { sha256: json.sha256 };
    await expectOutcome(accept, "404 NOT_FOUND", { as, id: "data-licence@2", body });
    await expectOutcome(accept, "409 CONFLICT", { as, id, body: { sha256: "another" } });
    await expectOutcome(accept, "200", { as, id, body });
  });

  test("match the document for programs that ask to be signed in", async () => {
    const { apiUrl } = fixture.service;
    const start = async () => (await startDevice(apiUrl)).user_code;
    const as = people.admin;
    for (const action of ["inspect", "approve", "deny"] as const) {
      const body = { ...(action === "approve" && { days: 1 }) };
      const operation = `POST /api/console/sign-ins/${action}` as const;
      await expectOutcome(operation, "404 NOT_FOUND", { as, body: { ...body, user_code: "BCDFG-HJKLM" } });
      await expectOutcome(operation, "200", { as, body: { ...body, user_code: await start() } });
    }
    const { id: organization } = await addOrganization(fixture.operator.operation(), "Archived");
    await updateOrganization(fixture.operator.operation(), organization, { isArchived: true });
    const body = { user_code: await start(), days: 1, organization };
    await expectOutcome("POST /api/console/sign-ins/approve", "409 CONFLICT", { as: people.operator, body });
  });

  test("match the document for signing in with a provider that cannot be reached", async () => {
    const start = "GET /api/console/oidc/start";
    const callback = "GET /api/console/oidc/callback";
    await expectOutcome(callback, "400 INVALID_REQUEST", { query: "?code=1&code=2" });
    for (const operation of [start, callback] as const) await expectOutcome(operation, "404 NOT_FOUND");
    const other = await openFixture({
      DBDEPOT_OIDC_ISSUER: "http://127.0.0.1:9",
      DBDEPOT_OIDC_CLIENT_ID: "dbdepot",
      DBDEPOT_OIDC_CLIENT_SECRET: "secret",
    });
    for (const operation of [start, callback] as const) {
      expect((await send(operation, {}, other)).outcome).toBe(`${operation} 302`);
    }
    await other.dispose();
  });

  test("match the document for rate-limited requests", async () => {
    const busy = await openFixture({ DBDEPOT_RATE_LIMIT: "1:1" });
    const limited = coverage.documented.filter((outcome) => outcome.includes(" 429 "));
    // Each wrong guess counts against this address, until no more are allowed.
    for (let guess = 0; guess < 50; guess++) {
      await send("POST /api/console/links/inspect", { body: { token: "wrong" } }, busy);
      await send("POST /api/console/session/second-factor", { body: { token: "wrong", code: "wrong" } }, busy);
      await send("POST /api/console/session/passkey", { body: { token: "wrong", response: {} } }, busy);
    }
    for (let page = 0; page < 200; page++) await send("POST /api/console/session/passkey/options", {}, busy);
    const email = "ada@example.com";
    // Signing in and resets have their own limits.
    for (let guess = 0; guess < 10; guess++) {
      await send("POST /api/console/session", { body: { email, password: "wrong" } }, busy);
      await send("POST /api/console/password-resets", { body: { email } }, busy);
    }
    const bodies: Record<string, object> = {
      "POST /api/console/session": { email, password: PASSWORD },
      "POST /api/console/password-resets": { email },
      "POST /api/console/links/inspect": { token: "wrong" },
      "POST /api/console/session/second-factor": { token: "wrong", code: "wrong" },
      "POST /api/console/session/passkey": { token: "wrong", response: {} },
      "POST /api/console/links/accept": { token: "wrong" },
    };
    // For requests without a session, the first one uses up the limit of the address.
    await send("GET /api/console/sessions", {}, busy);
    for (const outcome of limited) {
      const operation = outcome.split(" 429 ")[0] as Operation;
      expect((await send(operation, { body: bodies[operation] }, busy)).outcome).toBe(outcome);
    }
    await busy.dispose();
  });

  test("cover every response in the document", () => coverage.expectComplete());
});
