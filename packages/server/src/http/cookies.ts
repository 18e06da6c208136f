import type { FastifyRequest } from "fastify";
import { SESSION_MAX_MS } from "../domain/access/session.ts";
import { Token } from "../domain/access/token.ts";

export const SESSION_COOKIE = "dbdepot_session";
/** Browsers accept this prefix only from the host itself over HTTPS, so that no other subdomain can set the cookie. */
const HOST_PREFIX = "__Host-";
const PROVIDER_COOKIE = "dbdepot_oidc";
/** Enough to sign in at the provider, with a second factor. */
const PROVIDER_MAX_SECONDS = 15 * 60;

/** The token of the session cookie. Undefined if the cookie is missing or malformed. */
export function sessionToken(request: FastifyRequest, publicUrl: string): Token | undefined {
  return Token.parse(readCookie(request, sessionCookieName(publicUrl)));
}

export function sessionCookie(token: Token, publicUrl: string): string {
  const name = sessionCookieName(publicUrl);
  return cookie({ name, value: token.reveal(), path: "/" }, SESSION_MAX_MS / 1000, publicUrl);
}

export function endedSessionCookie(publicUrl: string): string {
  return cookie({ name: sessionCookieName(publicUrl), value: "", path: "/" }, 0, publicUrl);
}

function sessionCookieName(publicUrl: string): string {
  return isHttps(publicUrl) ? HOST_PREFIX + SESSION_COOKIE : SESSION_COOKIE;
}

/** The browser keeps this while the person signs in at the provider. */
interface ProviderSignIn {
  secret: Token;
  /** Page of the console to show afterwards. */
  to: string;
}

export function providerSecret(request: FastifyRequest): ProviderSignIn | undefined {
  const [value = "", to = ""] = readCookie(request, PROVIDER_COOKIE).split(".");
  const secret = Token.parse(value);
  const path = Buffer.from(to, "base64url").toString("latin1");
  return secret && { secret, to: /^\/[!-~]*$/.test(path) ? path : "/" };
}

export function providerCookie({ secret, to }: ProviderSignIn, publicUrl: string): string {
  const value = `${secret.reveal()}.${Buffer.from(to, "latin1").toString("base64url")}`;
  return cookie({ name: PROVIDER_COOKIE, value, path: PROVIDER_PATH }, PROVIDER_MAX_SECONDS, publicUrl);
}

export function endedProviderCookie(publicUrl: string): string {
  return cookie({ name: PROVIDER_COOKIE, value: "", path: PROVIDER_PATH }, 0, publicUrl);
}

const PROVIDER_PATH = "/api/console/oidc";

function readCookie({ headers }: FastifyRequest, wanted: string): string {
  for (const pair of headers.cookie?.split(";") ?? []) {
    const [name, value = ""] = pair.trim().split("=");
    if (name === wanted) return value;
  }
  return "";
}

/** Browsers accept `Secure` cookies only over HTTPS, so a server without it, such as the demo, has to leave it out. */
function cookie(
  { name, value, path }: { name: string; value: string; path: string },
  maxAgeSeconds: number,
  publicUrl: string,
): string {
  const secure = isHttps(publicUrl) ? "; Secure" : "";
  return `${name}=${value}; Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
}

function isHttps(publicUrl: string): boolean {
  return publicUrl.startsWith("https:");
}
