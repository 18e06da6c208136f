/**
 * Checks what an authorization server sends before it is shown to a person, put into a header or stored as a secret. It
 * is checked once, where it enters the client.
 */
import { isRecord } from "../api/incoming.ts";
import { DbdepotError } from "../errors.ts";

/** A sign-in: a key that a person approved in the browser, and the token that renews it. Keep it secret. */
export interface Login {
  /** The service that issued the key. Never send the key anywhere else. */
  baseUrl: string;
  key: string;
  keyId: string;
  scopes: string[];
  /** When the key was issued or renewed. */
  issued: string;
  /** When the key ends, unless it is renewed. */
  expires: string;
  refreshToken: string;
}

/** Tells the person how to approve the login. */
export interface LoginPrompt {
  /** The page shows the same code. */
  userCode: string;
  /** The page on which the person enters the code. */
  url: string;
  /** The same page with the code filled in. */
  completeUrl: string;
  expires: Date;
}

interface DeviceCode {
  deviceCode: string;
  intervalMs: number;
  prompt: LoginPrompt;
}

/** Longer than any token of ours, and short enough for every header. */
const TOKEN = /^[\x21-\x7e]{1,2000}$/;
const USER_CODE = /^[\x20-\x7e]{1,100}$/;
/** A scope may contain any printable character but quotes and backslashes (RFC 6749, section 3.3). */
const SCOPE = /^[\x20\x21\x23-\x5b\x5d-\x7e]{0,2000}$/;
const LONGEST_SECONDS = 1e10;
const INTERVAL_SECONDS = 5;
const INTERVAL_MAX_SECONDS = 300;

export function readDeviceCode(body: Record<string, unknown>): DeviceCode {
  const url = readUrl(body, "verification_uri");
  const isComplete = body.verification_uri_complete !== undefined;
  const { interval = INTERVAL_SECONDS } = body;
  return {
    deviceCode: readText(body, "device_code", TOKEN),
    // A wrong interval is no reason to fail: a server that finds it too short says so.
    intervalMs: (isDuration(interval) ? Math.min(interval, INTERVAL_MAX_SECONDS) : INTERVAL_SECONDS) * 1000,
    prompt: {
      userCode: readText(body, "user_code", USER_CODE),
      url,
      completeUrl: isComplete ? readUrl(body, "verification_uri_complete") : url,
      expires: new Date(Date.now() + readSeconds(body)),
    },
  };
}

/** Known values replace those that a response may omit: the scopes if they are those asked for, and the key's id. */
export function readLogin(
  body: Record<string, unknown>,
  known: { baseUrl: string; keyId: string; scopes: readonly string[] },
): Login {
  const issued = Date.now();
  const { scope } = body;
  return {
    baseUrl: known.baseUrl,
    key: readText(body, "access_token", TOKEN),
    keyId: body["mslm:apikey_id"] === undefined ? known.keyId : readText(body, "mslm:apikey_id", TOKEN),
    scopes: scope === undefined ? [...known.scopes] : readText(body, "scope", SCOPE).split(" ").filter(Boolean),
    issued: new Date(issued).toISOString(),
    expires: new Date(issued + readSeconds(body)).toISOString(),
    refreshToken: readText(body, "refresh_token", TOKEN),
  };
}

/** Returns undefined if the text is not a JSON object. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function readText(body: Record<string, unknown>, name: string, pattern: RegExp): string {
  const value = body[name];
  if (typeof value === "string" && pattern.test(value)) return value;
  throw unusable(name);
}

function readUrl(body: Record<string, unknown>, name: string): string {
  const value = readText(body, name, TOKEN);
  if (/^https?:\/\//.test(value) && URL.canParse(value)) return value;
  throw unusable(name);
}

function readSeconds({ expires_in: seconds }: Record<string, unknown>): number {
  if (isDuration(seconds) && seconds <= LONGEST_SECONDS) return seconds * 1000;
  throw unusable("expires_in");
}

function isDuration(value: unknown): value is number {
  return typeof value === "number" && value > 0;
}

/** The message does not repeat the value, which may be a secret. */
function unusable(name: string): DbdepotError {
  return new DbdepotError("server", `the service's response to the sign-in has no valid ${name}; tell your vendor`);
}
