import type { FastifyRequest } from "fastify";
import { SESSION_MAX_MS } from "../accounts/session.ts";
import { Token } from "../accounts/token.ts";

export const SESSION_COOKIE = "dbdepot_session";

/** The token of the session cookie. Undefined if there is none or it is malformed. */
export function sessionToken({ headers }: FastifyRequest): Token | undefined {
  for (const cookie of headers.cookie?.split(";") ?? []) {
    const [name, value = ""] = cookie.trim().split("=");
    if (name === SESSION_COOKIE) return Token.parse(value);
  }
  return undefined;
}

/** Browsers accept `Secure` cookies only over HTTPS, so a server without it, such as the demo, has to leave it out. */
export function sessionCookie(token: Token, publicUrl: string): string {
  return cookie(token.reveal(), SESSION_MAX_MS / 1000, publicUrl);
}

export function endedSessionCookie(publicUrl: string): string {
  return cookie("", 0, publicUrl);
}

function cookie(value: string, maxAgeSeconds: number, publicUrl: string): string {
  const secure = publicUrl.startsWith("https:") ? "; Secure" : "";
  return `${SESSION_COOKIE}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
}
