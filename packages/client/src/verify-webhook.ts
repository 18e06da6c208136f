import { DbdepotError } from "./errors.ts";

/** An event that a webhook received. */
export interface WebhookEvent {
  /** Stays the same if the event is sent again. */
  id: string;
  /** For example `build.published`. New types may appear at any time. */
  type: string;
  /** When it happened. */
  timestamp: string;
  data: Record<string, unknown>;
}

/** The headers of a Node, Express or `fetch` request. */
type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

const PREFIX = "whsec_";
const TOLERANCE_SECONDS = 5 * 60;

/**
 * Verifies a request to a webhook and returns its event. `body` must be exactly what arrived, not parsed and serialized
 * again. Throws `invalid_webhook` if the signature is wrong or the request is older than five minutes.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
): Promise<WebhookEvent> {
  const id = headerOf(headers, "webhook-id");
  const timestamp = headerOf(headers, "webhook-timestamp");
  const signatures = headerOf(headers, "webhook-signature");
  if (!/^\d{1,12}$/.test(timestamp)) throw invalidWebhook("the header webhook-timestamp is not a number");
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) {
    throw invalidWebhook("the request is more than five minutes old, or this machine's clock is wrong");
  }
  const encoder = new TextEncoder();
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  const signed = concat(encoder.encode(`${id}.${timestamp}.`), bytes);
  const key = await crypto.subtle.importKey("raw", secretBytes(secret), { name: "HMAC", hash: "SHA-256" }, false, [
    "verify",
  ]);
  for (const signature of signatures.split(" ")) {
    const digest = signature.startsWith("v1,") ? fromBase64(signature.slice("v1,".length)) : undefined;
    if (digest && (await crypto.subtle.verify("HMAC", key, digest, signed))) {
      return JSON.parse(new TextDecoder().decode(bytes));
    }
  }
  throw invalidWebhook("the signature is wrong: the secret is another one, or the body is not exactly what arrived");
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : recordHeader(headers, name);
  if (typeof value !== "string" || value === "") throw invalidWebhook(`the header ${name} is missing`);
  return value;
}

function recordHeader(headers: Exclude<WebhookHeaders, Headers>, name: string) {
  const found = Object.keys(headers).find((key) => key.toLowerCase() === name);
  return found === undefined ? undefined : headers[found];
}

function secretBytes(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = fromBase64(secret.trim().replace(PREFIX, ""));
  // The message does not repeat the secret.
  if (!bytes || bytes.length === 0)
    throw new DbdepotError("bad_request", "the webhook secret must be whsec_ and Base64");
  return bytes;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function concat(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(one.length + other.length);
  all.set(one);
  all.set(other, one.length);
  return all;
}

function invalidWebhook(message: string): DbdepotError {
  return new DbdepotError("invalid_webhook", message);
}
