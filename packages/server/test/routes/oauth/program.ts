import * as oauth from "openid-client";
import { expect } from "vitest";
import { call, type Reply } from "../../../../../rigs/harness/service/customer.ts";
import type { Person } from "../console/person.ts";

export const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
export const REDIRECT = "http://127.0.0.1:51004/callback";

/** A program that signs in with an OAuth client that is not ours. */
export async function discover(apiUrl: string, clientId = "dbdepot-cli", algorithm: "oauth2" | "oidc" = "oauth2") {
  return oauth.discovery(new URL(apiUrl), clientId, undefined, oauth.None(), {
    execute: [oauth.allowInsecureRequests],
    algorithm,
  });
}

export function post(apiUrl: string, endpoint: string, form: Record<string, string>): Promise<Reply> {
  return call(`${apiUrl}/oauth/${endpoint}`, { method: "POST", body: new URLSearchParams(form) });
}

/** Starts the device flow and returns the codes. */
export async function startDevice(apiUrl: string, form: Record<string, string> = {}) {
  const reply = await post(apiUrl, "device_authorization", { client_id: "dbdepot-cli", ...form });
  expect(reply.status).toBe(200);
  return reply.json as { device_code: string; user_code: string };
}

export function pollDevice(apiUrl: string, device_code: string, client_id = "dbdepot-cli"): Promise<Reply> {
  return post(apiUrl, "token", { grant_type: DEVICE_GRANT, client_id, device_code });
}

export function refresh(apiUrl: string, refresh_token: string, client_id = "dbdepot-cli"): Promise<Reply> {
  return post(apiUrl, "token", { grant_type: "refresh_token", client_id, refresh_token });
}

/** Signs a program in, as the person approves. */
export async function signInWith(person: Person, form: Record<string, string> = {}) {
  const { device_code, user_code } = await startDevice(person.apiUrl, form);
  const approved = await person.post("/api/console/sign-ins/approve", { user_code, days: 30 });
  expect(approved.status).toBe(200);
  const { status, json } = await pollDevice(person.apiUrl, device_code, form.client_id);
  expect(status).toBe(200);
  return json as { access_token: string; refresh_token: string; scope: string; "mslm:apikey_id": string };
}

/** The URL that a program opens in the browser, with a verifier to exchange the code. */
export async function codeRequest(config: oauth.Configuration, but: Record<string, string> = {}) {
  const verifier = oauth.randomPKCECodeVerifier();
  const url = oauth.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT,
    scope: "db.download apikeys.manage",
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    // The console's router would turn this into another number.
    state: "12345678901234567890",
    ...but,
  });
  return { url, verifier };
}

/** Returns the address to which the console sends the browser after the person has decided. */
export async function decide(person: Person, url: URL, decision: "approve" | "deny" = "approve"): Promise<Reply> {
  const page = await call(url.href);
  expect(page.status).toBe(302);
  const authorization = new URL(page.headers.get("location") ?? "", url).searchParams.get("request") ?? "";
  return person.post(`/api/console/sign-ins/${decision}`, {
    authorization,
    ...(decision === "approve" && { days: 90 }),
  });
}

/** The status with which the key is answered. */
export async function statusOf(apiUrl: string, key: string): Promise<number> {
  return (await call(`${apiUrl}/api/v2/database/list`, { headers: { authorization: `Bearer ${key}` } })).status;
}
